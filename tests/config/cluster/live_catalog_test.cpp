#include "config/cluster/live_catalog.hpp"

#include <condition_variable>
#include <future>
#include <mutex>

#include <gtest/gtest.h>

#include "tests/config/cluster/fake_cluster.hpp"

namespace scattergate::config {
namespace {

using tests::fake_cluster;

/// Records the events of a live catalog and waits for them.
/// Thread-safety: any thread.
class listener {
 public:
  live_catalog_events events() {
    live_catalog_events made;
    made.on_catalog = [this](auto) { note([this] { ++catalogs_; }); };
    made.on_load = [this](const load_outcome& outcome) {
      note([&] { results_.push_back(outcome.result); });
    };
    return made;
  }

  /// Waits for the result of the load of that number, from 0.
  load_result result(std::size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return results_.size() > number; });
    return results_[number];
  }

  std::size_t loads() {
    const std::lock_guard lock(mutex_);
    return results_.size();
  }

  std::size_t catalogs() {
    const std::lock_guard lock(mutex_);
    return catalogs_;
  }

 private:
  template <typename Change>
  void note(Change change) {
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<load_result> results_;
  std::size_t catalogs_ = 0;
};

class live_catalog_test : public testing::Test {
 protected:
  live_catalog_settings settings() {
    live_catalog_settings made;
    made.refresh = std::chrono::hours{1};
    made.open = [this](const std::stop_token&) -> mongo_result<std::unique_ptr<mongo_reader>> {
      if (++opened == 1 && fails_first) {
        return mongo_error{mongo_failure::bad_uri, 0, "no"};
      }
      return std::unique_ptr<mongo_reader>{
          std::make_unique<fake_cluster>(tests::cluster_of("8.0"))};
    };
    return made;
  }

  bool fails_first = false;
  std::atomic<int> opened{0};
  listener heard;
  std::shared_ptr<catalog_notes> notes = std::make_shared<catalog_notes>();
  std::shared_ptr<catalog_facts> facts = std::make_shared<catalog_facts>();
};

TEST_F(live_catalog_test, loads_at_first_and_on_request) {
  live_catalog live{settings(), heard.events(), notes, facts};
  EXPECT_EQ(heard.result(0), load_result::changed);
  EXPECT_EQ(heard.catalogs(), 2U);
  EXPECT_EQ(facts->state, catalog_state::live);
  EXPECT_NE(facts->succeeded_at, 0);
  notes->note_change({.database = "shop", .collection = "orders"});
  EXPECT_EQ(heard.result(1), load_result::unchanged);
  notes->note_unknown("shop", "strange");
  EXPECT_EQ(heard.result(2), load_result::unchanged);
  notes->force();
  EXPECT_EQ(heard.result(3), load_result::changed);
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(facts->triggers[static_cast<std::size_t>(load_trigger::name_space)], 1U);
}

TEST_F(live_catalog_test, connects_anew_after_a_failure) {
  fails_first = true;
  live_catalog live{settings(), heard.events(), notes, facts};
  EXPECT_EQ(heard.result(0), load_result::bad_uri);
  EXPECT_EQ(heard.result(1), load_result::changed);
  EXPECT_EQ(opened, 2);
  EXPECT_EQ(facts->loads[static_cast<std::size_t>(load_result::bad_uri)], 1U);
  EXPECT_EQ(facts->state, catalog_state::live);
}

/// A mongos that never answers, until its calls are ended.
class silent_mongos final : public mongo_reader {
 public:
  silent_mongos(std::stop_token stop, std::promise<void>& asked)
      : stop_(std::move(stop)), asked_(asked) {}

  mongo_result<mongo_server> connect() override {
    asked_.set_value();
    while (!stop_.stop_requested()) std::this_thread::yield();
    return mongo_error{mongo_failure::unreachable, 0, "ended"};
  }
  mongo_result<std::vector<std::byte>> run(std::string_view, wire::document_view) override {
    return mongo_error{};
  }
  mongo_result<void> find(std::string_view, std::string_view, wire::document_view,
                          wire::document_view, const document_sink&) override {
    return mongo_error{};
  }
  mongo_result<void> list_collections(std::string_view, wire::document_view,
                                      const document_sink&) override {
    return mongo_error{};
  }

 private:
  std::stop_token stop_;
  std::promise<void>& asked_;
};

class silenced_catalog_test : public live_catalog_test {
 protected:
  live_catalog_settings silenced() {
    auto made = settings();
    made.open =
        [this, answers = made.open](
            const std::stop_token& stop) -> mongo_result<std::unique_ptr<mongo_reader>> {
      if (++opened != 1) return answers(stop);
      return std::unique_ptr<mongo_reader>{std::make_unique<silent_mongos>(stop, asked)};
    };
    return made;
  }

  std::promise<void> asked;
};

TEST_F(silenced_catalog_test, ends_a_call_that_does_not_return_without_a_report) {
  {
    live_catalog live{silenced(), heard.events(), notes, facts};
    asked.get_future().wait();
  }
  EXPECT_EQ(heard.catalogs(), 0U);
  EXPECT_EQ(heard.loads(), 0U);
}

TEST_F(silenced_catalog_test, restarts_during_a_call_that_does_not_return) {
  live_catalog live{silenced(), heard.events(), notes, facts};
  asked.get_future().wait();
  live.restart();
  EXPECT_EQ(heard.result(0), load_result::changed);
  EXPECT_EQ(facts->loads[static_cast<std::size_t>(load_result::unreachable)], 0U);
}

TEST_F(live_catalog_test, restarts_with_a_new_connection) {
  live_catalog live{settings(), heard.events(), notes, facts};
  EXPECT_EQ(heard.result(0), load_result::changed);
  live.restart();
  EXPECT_EQ(heard.result(1), load_result::changed);
  EXPECT_EQ(opened, 2);
}

}  // namespace
}  // namespace scattergate::config
