#include <random>

#include <gtest/gtest.h>

#include "config/driver/proxied_uri.hpp"

namespace scattergate::config {
namespace {

using octets = std::vector<unsigned char>;

void put16(octets& to, unsigned value) {
  to.push_back(static_cast<unsigned char>(value >> 8U));
  to.push_back(static_cast<unsigned char>(value));
}

void put_name(octets& to, std::string_view name) {
  while (!name.empty()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    to.push_back(static_cast<unsigned char>(dot));
    to.insert(to.end(), name.begin(), name.begin() + static_cast<std::ptrdiff_t>(dot));
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  to.push_back(0);
}

/// A reply of the DNS with these records of one type (RFC 1035, 4).
octets reply_with(unsigned type, const std::vector<octets>& records) {
  octets made;
  for (const unsigned value :
       {1U, 0x8180U, 0U, static_cast<unsigned>(records.size()), 0U, 0U}) {
    put16(made, value);
  }
  for (const octets& data : records) {
    put_name(made, "_mongodb._tcp.c.x.com");
    put16(made, type);
    put16(made, 1);
    put16(made, 0);
    put16(made, 60);
    put16(made, static_cast<unsigned>(data.size()));
    made.insert(made.end(), data.begin(), data.end());
  }
  return made;
}

octets srv(std::string_view host, unsigned port) {
  octets made;
  for (const unsigned value : {0U, 0U, port}) put16(made, value);
  put_name(made, host);
  return made;
}

octets txt(const std::vector<std::string>& strings) {
  octets made;
  for (const std::string& one : strings) {
    made.push_back(static_cast<unsigned char>(one.size()));
    made.insert(made.end(), one.begin(), one.end());
  }
  return made;
}

constexpr unsigned srv_type = 33;
constexpr unsigned txt_type = 16;

TEST(srv_lookup, reads_hosts_and_options) {
  const auto answer = read_srv_reply(
      reply_with(srv_type, {srv("N2.x.com", 27018), srv("n1.x.com", 1)}), "c.x.com");
  EXPECT_EQ(answer.value().hosts, (std::vector<std::string>{"n1.x.com:1", "n2.x.com:27018"}));
  EXPECT_EQ(read_txt_reply(reply_with(txt_type, {txt({"authSource=", "admin"})})),
            "authSource=admin");
  EXPECT_EQ(read_txt_reply(reply_with(txt_type, {})), "");
  EXPECT_EQ(read_txt_reply(reply_with(txt_type, {txt({"a=1"}), txt({"b=2"})})), "");
}

TEST(srv_lookup, believes_no_host_of_another_domain) {
  struct row {
    std::string_view name;
    std::string_view host;
    bool is_good;
  };
  for (const row& one : {row{"c.x.com", "n.x.com", true}, row{"c.x.com", "n.y.com", false},
                         row{"c.x.com", "x.com", false}, row{"c.x.com", "evilx.com", false},
                         row{"x.com", "n.x.com", true}, row{"x.com", "n.com", false}}) {
    const auto answer = read_srv_reply(reply_with(srv_type, {srv(one.host, 1)}), one.name);
    EXPECT_EQ(answer.has_value(), one.is_good) << one.name << " " << one.host;
  }
}

TEST(srv_lookup, survives_replies_of_any_bytes) {
  std::mt19937 random{7};
  const octets whole = reply_with(srv_type, {srv("n1.x.com", 1), srv("n2.x.com", 2)});
  const octets text = reply_with(txt_type, {txt({"authSource=admin"})});
  for (int i = 0; i < 20'000; ++i) {
    for (octets broken : {whole, text}) {
      for (int flips = 0; flips < 3; ++flips) {
        broken[random() % broken.size()] = static_cast<unsigned char>(random());
      }
      broken.resize(random() % (broken.size() + 1));
      static_cast<void>(read_srv_reply(broken, "c.x.com"));
      static_cast<void>(read_txt_reply(broken));
    }
  }
  EXPECT_FALSE(read_srv_reply({}, "c.x.com"));
}

}  // namespace
}  // namespace scattergate::config
