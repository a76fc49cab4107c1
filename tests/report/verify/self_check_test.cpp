#include "report/verify/self_check.hpp"

#include <atomic>
#include <mutex>
#include <stop_token>

#include <gtest/gtest.h>

#include "tests/support/json_document.hpp"

namespace scattergate::report {
namespace {

using config::mongo_error;
using config::mongo_failure;
using std::chrono::milliseconds;
using tests::json_document;

/// The test's mongos: its reply on any connection.
struct cluster {
  std::mutex mutex;
  std::string shards = R"({"shardName": "a"})";  // under mutex
  std::atomic<int> opened{0};
  std::atomic<int> asked{0};
  std::atomic<bool> is_out_of_reach{false};
  std::atomic<bool> is_mongos{true};
  std::atomic<bool> is_silent{false};  // calls last until they are ended

  void answer_with(std::string text) {
    const std::lock_guard lock{mutex};
    shards = std::move(text);
  }
};

class connection final : public config::mongo_reader {
 public:
  connection(std::shared_ptr<cluster> to, std::stop_token stop)
      : to_(std::move(to)), stop_(std::move(stop)) {}

  config::mongo_result<config::mongo_server> connect() override {
    config::mongo_server server;
    server.is_mongos = to_->is_mongos;
    return server;
  }
  config::mongo_result<std::vector<std::byte>> run(std::string_view,
                                                   wire::document_view) override {
    ++to_->asked;
    while (to_->is_silent && !stop_.stop_requested()) std::this_thread::yield();
    if (stop_.stop_requested()) return mongo_error{mongo_failure::unreachable, 0, "ended"};
    if (to_->is_out_of_reach) return mongo_error{mongo_failure::unreachable, 0, "gone"};
    const std::lock_guard lock{to_->mutex};
    const json_document reply{R"({"queryPlanner": {"winningPlan": {"stage": "S", "shards": [)" +
                              to_->shards + "]}}}"};
    const auto bytes = reply.view().bytes();
    return std::vector<std::byte>{bytes.begin(), bytes.end()};
  }
  config::mongo_result<void> find(std::string_view, std::string_view, wire::document_view,
                                  wire::document_view, const document_sink&) override {
    return mongo_error{};
  }
  config::mongo_result<void> list_collections(std::string_view, wire::document_view,
                                              const document_sink&) override {
    return mongo_error{};
  }

 private:
  std::shared_ptr<cluster> to_;
  std::stop_token stop_;
};

/// d.c is sharded on {k: 1}, and all of it is on `shard`.
std::shared_ptr<const routing::catalog> catalog_on(std::string_view shard) {
  routing::catalog_builder builder;
  routing::collection entry;
  entry.database = "d";
  entry.name = "c";
  entry.key = {{"k", false}};
  EXPECT_FALSE(builder.add(entry));
  const json_document low{R"({"k": {"$minKey": 1}})"};
  const json_document high{R"({"k": {"$maxKey": 1}})"};
  EXPECT_FALSE(builder.add_chunk(low.view(), high.view(), shard));
  EXPECT_FALSE(builder.finish_collection());
  return builder.build();
}

class self_checks : public ::testing::Test {
 protected:
  void start(milliseconds patience = milliseconds{0}) {
    self_check::parts parts;
    parts.queue = queue_;
    parts.catalog = [this] {
      const std::lock_guard lock{mutex_};
      return catalog_;
    };
    parts.open = [to = mongos_](const std::stop_token& stop)
        -> config::mongo_result<std::unique_ptr<config::mongo_reader>> {
      ++to->opened;
      return std::unique_ptr<config::mongo_reader>{std::make_unique<connection>(to, stop)};
    };
    parts.patience = patience;
    checking_ = std::make_unique<self_check>(std::move(parts));
  }

  void set_catalog(std::shared_ptr<const routing::catalog> catalog) {
    const std::lock_guard lock{mutex_};
    catalog_ = std::move(catalog);
  }

  void leave_find() {
    const json_document body{R"({"find": "c", "filter": {"k": 5}, "$db": "d"})"};
    queue_->offer(*wire::command_of(body.view()));
  }

  /// Until the condition holds; a hang is ctest's to end.
  template <typename Condition>
  static void await(Condition condition) {
    while (!condition()) std::this_thread::sleep_for(milliseconds{1});
  }

  telemetry::check_facts& facts() { return queue_->facts(); }

  std::shared_ptr<telemetry::check_queue> queue_ =
      std::make_shared<telemetry::check_queue>(milliseconds{1});
  std::shared_ptr<cluster> mongos_ = std::make_shared<cluster>();
  std::mutex mutex_;
  std::shared_ptr<const routing::catalog> catalog_ = catalog_on("a");  // under mutex_
  std::unique_ptr<self_check> checking_;
};

TEST_F(self_checks, count_what_agrees_over_one_connection) {
  start();
  for (std::uint64_t i = 1; i <= 3; ++i) {
    leave_find();
    await([&] { return facts().agreed == i; });
  }
  EXPECT_EQ(mongos_->opened, 1);
  EXPECT_EQ(facts().disagreed, 0U);
}

TEST_F(self_checks, a_disagreement_counts_once_it_was_looked_at_twice) {
  mongos_->answer_with(R"({"shardName": "b"})");
  start();
  leave_find();
  await([&] { return facts().disagreed == 1; });
  EXPECT_EQ(mongos_->asked, 2);
}

TEST_F(self_checks, a_disagreement_waits_for_another_catalog) {
  mongos_->answer_with(R"({"shardName": "b"})");
  start(std::chrono::hours{1});
  leave_find();
  await([&] { return mongos_->asked == 2; });
  set_catalog(catalog_on("b"));
  await([&] { return facts().agreed == 1; });
  EXPECT_EQ(facts().disagreed, 0U);
}

TEST_F(self_checks, no_disagreement_waits_for_ever) {
  mongos_->answer_with(R"({"shardName": "b"})");
  start(milliseconds{1});
  leave_find();
  await([&] { return facts().disagreed == 1; });
}

TEST_F(self_checks, who_is_out_of_reach_is_connected_to_anew) {
  mongos_->is_out_of_reach = true;
  start();
  leave_find();
  await([&] { return facts().failed == 1; });
  mongos_->is_out_of_reach = false;
  leave_find();
  await([&] { return facts().agreed == 1; });
  EXPECT_EQ(mongos_->opened, 2);
}

TEST_F(self_checks, what_is_no_mongos_explains_nothing) {
  mongos_->is_mongos = false;
  start();
  leave_find();
  await([&] { return facts().failed == 1; });
  EXPECT_EQ(mongos_->asked, 0);
}

TEST_F(self_checks, an_unknown_collection_is_nothing_to_compare) {
  set_catalog(routing::catalog::absent());
  start();
  leave_find();
  await([&] { return facts().incomparable == 1; });
}

TEST_F(self_checks, a_mongos_that_is_silent_does_not_hold_up_the_end) {
  mongos_->is_silent = true;
  start();
  leave_find();
  await([&] { return mongos_->asked == 1; });
  checking_.reset();
  EXPECT_EQ(facts().agreed, 0U);
}

}  // namespace
}  // namespace scattergate::report
