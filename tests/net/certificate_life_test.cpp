
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "net/tls_context.hpp"
#include "tests/net/certificate_file.hpp"

namespace scattergate::net {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

system_clock::time_point at(std::int64_t unix_seconds) {
  return system_clock::time_point{seconds{unix_seconds}};
}

TEST(certificate_life, has_a_phase_at_each_time) {
  constexpr std::int64_t day = 86'400;
  constexpr certificate_life life{100 * day, 200 * day};
  EXPECT_EQ(life.phase(at(100 * day - 1)), certificate_phase::not_yet_valid);
  EXPECT_EQ(life.phase(at(100 * day)), certificate_phase::valid);
  EXPECT_EQ(life.phase(at(186 * day - 1)), certificate_phase::valid);
  EXPECT_EQ(life.phase(at(186 * day)), certificate_phase::expires_soon);
  EXPECT_EQ(life.phase(at(200 * day - 1)), certificate_phase::expires_soon);
  EXPECT_EQ(life.phase(at(200 * day)), certificate_phase::expired);
  EXPECT_EQ(certificate_life{}.phase(at(200 * day)), certificate_phase::valid);
}

TEST(certificate_life, is_read_of_every_certificate_of_a_file) {
  const certificate_file one;
  const auto alone = certificates_in(one.path());
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].ends - alone[0].begins, 3'660);
  EXPECT_EQ(alone[0].phase(system_clock::now()), certificate_phase::expires_soon);

  const certificate_file other;
  std::stringstream text;
  text << std::ifstream{other.path()}.rdbuf();
  std::ofstream{one.path(), std::ios::app} << text.str();  // behind a key
  EXPECT_EQ(certificates_in(one.path()).size(), 2U);
}

TEST(certificate_life, is_none_of_what_is_no_certificate) {
  EXPECT_TRUE(certificates_in("/nowhere").empty());
  EXPECT_TRUE(certificates_in("/dev/null").empty());
  EXPECT_EQ(life_of(nullptr).ends, 0);
}

TEST(certificate_life, is_that_of_a_contexts_own_certificate) {
  const certificate_file file;
  client_tls_options options;
  options.cert_file = file.path();
  const auto context = tls_context::for_clients(options).value();
  EXPECT_EQ(context->life().ends, certificates_in(file.path()).front().ends);
  EXPECT_EQ(context->expires_at(), context->life().ends);
  EXPECT_EQ(tls_context::for_upstream({}).value()->life().ends, 0);
}

}  // namespace
}  // namespace scattergate::net
