#include <gtest/gtest.h>

#include "proxy/faults/daemon_checks.hpp"
#include "tests/net/certificate_file.hpp"

namespace scattergate::proxy {
namespace {

using telemetry::condition_kind;

TEST(limit_checks, are_reported_where_they_were_reached_since) {
  telemetry::condition_board board;
  limit_checks limits{board};
  limits.check("limits.memory", "no room", 0);
  EXPECT_TRUE(board.snapshot().empty());
  limits.check("limits.memory", "no room", 3);
  limits.check("limits.memory", "no room", 3);
  limits.check("limits.memory", "no room", 5);
  ASSERT_EQ(board.snapshot().size(), 1U);
  EXPECT_EQ(board.snapshot()[0].count, 5U);
}

/// A certificate that is valid for an hour.
class certificates : public testing::Test {
 protected:
  certificates() {
    net::client_tls_options options;
    options.cert_file = file_.path();
    certificate_ = net::tls_context::for_clients(options).value();
    shown_.listeners.push_back({certificate_, nullptr, false});
  }
  /// The kinds that are active by then.
  std::vector<condition_kind> looked_at(std::chrono::system_clock::time_point now) {
    check_certificates(shown_, {"a:1"}, now, board_);
    std::vector<condition_kind> active;
    for (const auto& each : board_.snapshot()) {
      EXPECT_EQ(each.subject, file_.path());
      if (!each.active) continue;
      EXPECT_EQ(each.listener, shown_.listeners.empty() ? "" : "a:1");
      active.push_back(each.kind);
    }
    return active;
  }

  net::certificate_file file_;
  std::shared_ptr<const net::tls_context> certificate_;
  settings shown_;
  telemetry::condition_board board_;
};

TEST_F(certificates, are_reported_when_they_expire_soon_and_when_they_have) {
  using list = std::vector<condition_kind>;
  const auto now = std::chrono::system_clock::now();
  EXPECT_EQ(looked_at(now - std::chrono::days{20}), list{});
  EXPECT_EQ(looked_at(now), list{condition_kind::certificate_expiring});
  EXPECT_EQ(looked_at(now + std::chrono::hours{2}), list{condition_kind::certificate_expired});
  shown_.listeners.clear();
  shown_.admin.tls = certificate_;
  EXPECT_EQ(looked_at(now + std::chrono::hours{2}), list{condition_kind::certificate_expired});
  shown_.admin.tls = nullptr;
  EXPECT_EQ(looked_at(now + std::chrono::hours{2}), list{});
}

}  // namespace
}  // namespace scattergate::proxy
