#include <gtest/gtest.h>

#include "config/options/options_check.hpp"

namespace scattergate::config {
namespace {

options running() {
  options made;
  made.listeners.emplace_back();
  made.listeners.front().upstream = {{"mongos", 27017, {}}};
  return made;
}

std::vector<std::string> names(const options& loaded) {
  std::vector<std::string> found;
  for (const auto& each : ignored_by_reload(loaded, running())) found.push_back(each.name);
  return found;
}

using list = std::vector<std::string>;

TEST(ignored_by_reload, is_nothing_where_nothing_was_changed) {
  EXPECT_EQ(names(running()), list{});
}

TEST(ignored_by_reload, is_nothing_of_what_a_reload_takes_over) {
  options loaded = running();
  loaded.inspect = false;
  loaded.limits.connections = 7;
  loaded.catalog.source = "off";
  loaded.audit.interval = std::chrono::seconds{1};
  loaded.listeners.front().proxy_protocol = true;
  loaded.listeners.front().upstream.push_back({"other", 27017, {}});
  loaded.listeners.front().choice = upstream_choice::listed;
  EXPECT_EQ(names(loaded), list{});
}

TEST(ignored_by_reload, names_every_setting_that_waits_for_a_restart) {
  options loaded = running();
  loaded.threads = effective_threads(loaded) + 1;
  loaded.audit.file = "off";
  loaded.state.file = "/tmp/state";
  loaded.limits.memory_bytes = 1;
  loaded.failover.check_interval = std::chrono::seconds{1};
  EXPECT_EQ(names(loaded), (list{"workers.threads", "audit.file", "state.file", "limits.memory",
                                 "failover.check_interval"}));
}

TEST(ignored_by_reload, goes_by_how_many_threads_that_are) {
  options loaded = running();
  loaded.threads = effective_threads(loaded);
  EXPECT_EQ(names(loaded), list{});
}

TEST(ignored_by_reload, names_all_of_a_listener_whose_address_was_changed) {
  options loaded = running();
  loaded.listeners.front().listen.port = 1;
  loaded.listeners.front().proxy_protocol = true;
  EXPECT_EQ(names(loaded), (list{"listeners[0].listen", "listeners[0].proxy_protocol"}));
}

TEST(ignored_by_reload, names_listeners_that_are_new_or_gone) {
  options loaded = running();
  loaded.listeners.emplace_back();
  EXPECT_EQ(names(loaded), list{"listeners[1]"});
  loaded.listeners.clear();
  EXPECT_EQ(names(loaded), list{"listeners[0]"});
}

TEST(ignored_by_reload, says_what_is_and_what_would_be) {
  options loaded = running();
  loaded.state.file = "/tmp/state";
  EXPECT_EQ(ignored_by_reload(loaded, running()).at(0).why,
            "is not set, would be /tmp/state after a restart");
}

}  // namespace
}  // namespace scattergate::config
