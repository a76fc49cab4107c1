#include "proxy/reload/reloader.hpp"

#include <gtest/gtest.h>

#include "telemetry/metrics/metrics_collector.hpp"

namespace scattergate::proxy {
namespace {

class reloader_test : public testing::Test {
 protected:
  void reload() { reloads_.reload(running, in_use); }

  config::options running;
  config::loaded_options written;
  std::shared_ptr<const routing::catalog> in_use = routing::catalog::absent();
  telemetry::metrics_collector collector{10};
  telemetry::daemon_facts& facts = collector.facts();
  telemetry::condition_board conditions;
  std::vector<reloaded> used;

 private:
  service_manager no_manager_{""};
  file_watch files_{[](const std::vector<std::string>&) {}};
  reloader reloads_{[this] { return written; },
                    facts,
                    conditions,
                    no_manager_,
                    files_,
                    [this](const reloaded& by, const std::function<void()>& on_used) {
                      used.push_back(by);
                      on_used();
                    }};
};

TEST_F(reloader_test, has_what_is_written_by_now_used) {
  written.value.inspect = false;
  reload();
  ASSERT_EQ(used.size(), 1U);
  EXPECT_FALSE(used.front().made->inspect);
  EXPECT_EQ(facts.config_reloads, 1U);
  EXPECT_EQ(facts.config_reload_failures, 0U);
}

TEST_F(reloader_test, leaves_what_is_bound_as_it_is) {
  written.value.listeners.emplace_back();
  reload();
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used.front().made->listeners.size(), running.listeners.size());
}

TEST_F(reloader_test, names_each_setting_that_it_ignores_until_it_is_as_it_was) {
  written.value.audit.file = "elsewhere";
  written.value.drain_grace = std::chrono::seconds{1};
  reload();
  auto active = conditions.snapshot();
  ASSERT_EQ(active.size(), 1U);
  EXPECT_EQ(active[0].kind, telemetry::condition_kind::settings_ignored);
  EXPECT_EQ(active[0].subject, "audit.file");
  EXPECT_EQ(active[0].detail, "is -, would be elsewhere after a restart");
  EXPECT_TRUE(active[0].active);
  written.value.audit.file = "-";
  reload();
  EXPECT_FALSE(conditions.snapshot().at(0).active);
}

TEST_F(reloader_test, says_that_it_failed_until_it_succeeds) {
  EXPECT_EQ(facts.config_last_reload_successful, 1U);
  written.problems.push_back({"scattergate.yaml:1", "is wrong"});
  reload();
  EXPECT_EQ(facts.config_last_reload_successful, 0U);
  EXPECT_EQ(conditions.snapshot().at(0).detail, "scattergate.yaml:1: is wrong");
  written.problems.clear();
  reload();
  EXPECT_EQ(facts.config_last_reload_successful, 1U);
  EXPECT_FALSE(conditions.snapshot().at(0).active);
}

TEST_F(reloader_test, goes_on_with_a_live_catalog_until_it_has_been_read) {
  written.value.catalog.source = "mongos";
  reload();
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used.front().made->catalog, in_use);
}

TEST_F(reloader_test, uses_nothing_of_a_file_that_is_wrong) {
  written.problems.push_back({"scattergate.yaml:1", "is wrong"});
  reload();
  written.problems.clear();
  written.value.catalog.source = "preset:no-such-preset";
  reload();
  EXPECT_TRUE(used.empty());
  EXPECT_EQ(facts.config_reloads, 2U);
  EXPECT_EQ(facts.config_reload_failures, 2U);
  EXPECT_EQ(facts.catalog_load_failures, 1U);
}

}  // namespace
}  // namespace scattergate::proxy
