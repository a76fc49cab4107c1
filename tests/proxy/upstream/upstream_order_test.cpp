#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proxy/upstream/upstream_address.hpp"

namespace scattergate::proxy {
namespace {

using addresses = std::vector<upstream_address_ptr>;

constexpr std::size_t sidecars = 300;

/// A fleet of sidecars that choose one of `mongos` each, by upstream_choice::spread.
class simulated_fleet {
 public:
  simulated_fleet(std::size_t number, std::size_t mongos) : number_(number) {
    for (std::size_t i = 0; i < mongos; ++i) add("mongos-" + std::to_string(i));
  }

  void add(const std::string& name) {
    mongos_.push_back(std::make_shared<upstream_address>(
        net::endpoint{name, 27017, {}}, net::resolve({"127.0.0.1", 1, {}}).value().front(),
        std::make_shared<telemetry::upstream_facts>(name)));
  }
  [[nodiscard]] const upstream_address_ptr& mongos(std::size_t at) const { return mongos_[at]; }

  /// The mongos that each sidecar uses.
  [[nodiscard]] std::vector<std::string> choices() const {
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < sidecars; ++i) {
      for (const auto& each : mongos_) {
        each->set_preference(preference_of(sidecar(i), to_string(each->name())));
      }
      chosen.push_back(
          in_order(mongos_, config::upstream_choice::spread, {}).front()->name().host);
    }
    return chosen;
  }
  [[nodiscard]] std::string sidecar(std::size_t i) const {
    return "app-" + std::to_string(number_) + "-" + std::to_string(i) + " 127.0.0.1:27117";
  }

 private:
  std::size_t number_;
  addresses mongos_;
};

std::map<std::string, std::size_t> shares(const std::vector<std::string>& choices) {
  std::map<std::string, std::size_t> of;
  for (const auto& each : choices) ++of[each];
  return of;
}

TEST(spread, gives_each_mongos_its_share_of_a_fleet) {
  for (std::size_t mongos = 2; mongos <= 5; ++mongos) {
    const double fair = static_cast<double>(sidecars) / static_cast<double>(mongos);
    double deviations = 0;
    constexpr std::size_t fleets = 40;
    for (std::size_t fleet = 0; fleet < fleets; ++fleet) {
      const auto of = shares(simulated_fleet{fleet, mongos}.choices());
      ASSERT_EQ(of.size(), mongos);
      for (const auto& [name, share] : of) {
        const double deviation = std::abs(static_cast<double>(share) - fair);
        EXPECT_LE(deviation, 0.1 * sidecars) << name << " of " << mongos;
        deviations += deviation / fair;
      }
    }
    // Within 10 % of the fair share on average; chance alone allows no more.
    EXPECT_LE(deviations / static_cast<double>(fleets * mongos), 0.1) << mongos << " mongos";
  }
}

TEST(spread, moves_only_the_sidecars_of_a_lost_mongos_and_spreads_them_over_the_rest) {
  for (std::size_t mongos = 2; mongos <= 5; ++mongos) {
    const simulated_fleet fleet{7, mongos};
    const auto before = fleet.choices();
    const auto lost = fleet.mongos(0);
    lost->set_health(telemetry::upstream_health::down, "it is lost");
    const auto during = fleet.choices();
    std::map<std::string, std::size_t> gained;
    for (std::size_t i = 0; i < sidecars; ++i) {
      if (before[i] != lost->name().host) {
        EXPECT_EQ(during[i], before[i]);
      } else {
        ++gained[during[i]];
      }
    }
    EXPECT_EQ(gained.size(), mongos - 1);
    const double fair = static_cast<double>(shares(before)[lost->name().host]) /
                        static_cast<double>(mongos - 1);
    for (const auto& [name, share] : gained) {
      EXPECT_LE(std::abs(static_cast<double>(share) - fair), 0.1 * sidecars) << name;
    }
    lost->set_health(telemetry::upstream_health::up, {});
    EXPECT_EQ(fleet.choices(), before);
  }
}

TEST(spread, moves_only_the_share_of_a_new_mongos) {
  simulated_fleet fleet{7, 3};
  const auto before = fleet.choices();
  fleet.add("mongos-3");
  const auto after = fleet.choices();
  std::size_t moved = 0;
  for (std::size_t i = 0; i < sidecars; ++i) {
    if (after[i] == before[i]) continue;
    EXPECT_EQ(after[i], "mongos-3");
    ++moved;
  }
  EXPECT_NEAR(static_cast<double>(moved), 75, 30);
}

TEST(spread, returns_the_sidecars_one_after_the_other) {
  using std::chrono::minutes;
  const simulated_fleet fleet{7, 2};
  std::vector<std::size_t> in_minute(10, 0);
  for (std::size_t i = 0; i < sidecars; ++i) {
    const auto delay = return_delay(fleet.sidecar(i), 1, minutes{10});
    ASSERT_GE(delay, minutes{10});
    ASSERT_LT(delay, minutes{20});
    ++in_minute[static_cast<std::size_t>((delay - minutes{10}) / minutes{1})];
    EXPECT_EQ(delay, return_delay(fleet.sidecar(i), 1, minutes{10}));
  }
  EXPECT_LE(*std::ranges::max_element(in_minute), sidecars / 5);
}

/// Addresses of one name.
addresses of_name(const std::vector<std::string>& hosts) {
  const auto counts = std::make_shared<telemetry::upstream_facts>("mongos:27017");
  addresses made;
  for (const auto& host : hosts) {
    made.push_back(std::make_shared<upstream_address>(
        net::endpoint{"mongos", 27017, {}}, net::resolve({host, 27017, {}}).value().front(),
        counts));
  }
  return made;
}

TEST(eligible, are_a_names_addresses_of_one_ip_version) {
  const auto all = of_name({"::1", "127.0.0.1", "127.0.0.2"});
  const upstream_address::clock::time_point now{};
  EXPECT_EQ(eligible(all, now), (addresses{all[0]}));
  all[0]->set_health(telemetry::upstream_health::down, "Connection refused");
  EXPECT_EQ(eligible(all, now), (addresses{all[1], all[2]}));
  all[1]->set_health(telemetry::upstream_health::silent, "it answers no command");
  EXPECT_EQ(eligible(all, now), (addresses{all[1], all[2]}));
  all[2]->set_health(telemetry::upstream_health::down, "Connection refused");
  EXPECT_EQ(eligible(all, now), all);
}

TEST(in_order, failing_ones_come_last_whatever_the_choice) {
  using enum config::upstream_choice;
  const auto all = of_name({"127.0.0.1", "127.0.0.2", "127.0.0.3"});
  const upstream_address::clock::time_point now{std::chrono::hours{1}};
  const std::uint64_t preferences[] = {5, 7, 6};
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->set_preference(preferences[i]);
  EXPECT_EQ(in_order(all, listed, now), all);
  EXPECT_EQ(in_order(all, spread, now), (addresses{all[1], all[2], all[0]}));
  const upstream_use one{all[1]};
  EXPECT_EQ(in_order(all, connections, now), (addresses{all[2], all[0], all[1]}));
  all[0]->note_failed_connection(now);
  EXPECT_EQ(in_order(all, listed, now), (addresses{all[1], all[2], all[0]}));
  EXPECT_EQ(in_order(all, listed, now + std::chrono::seconds{11}), all);
}

TEST(upstream_address, is_named_with_its_address_unless_the_name_is_one) {
  EXPECT_EQ(of_name({"::1"}).front()->text(), "mongos:27017 (::1)");
  const upstream_address literal{{"127.0.0.1", 27017, {}},
                                 net::resolve({"127.0.0.1", 27017, {}}).value().front(),
                                 nullptr};
  EXPECT_EQ(literal.text(), "127.0.0.1:27017");
}

}  // namespace
}  // namespace scattergate::proxy
