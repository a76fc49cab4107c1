#include "fleet/flush.hpp"

#include <gtest/gtest.h>

#include "digest/stored.hpp"
#include "fleet/bson_parts.hpp"
#include "fleet/documents.hpp"
#include "tests/digest/random_table.hpp"
#include "tests/fleet/simulated_collection.hpp"
#include "tests/fleet/simulated_server.hpp"
#include "tests/support/problem_in.hpp"

namespace scattergate::fleet {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr hours retain{24 * 30};
constexpr seconds moment{1};

/// Counts of `shapes` shapes, a command each, and a command without a row.
digest::table counts_of(std::size_t shapes) {
  digest::table made{1'000};
  digest::row one;
  one.database = "shop";
  one.collection = "orders";
  one.command = "find";
  one.count = 1;
  for (std::size_t i = 0; i < shapes; ++i) {
    one.shape_hash = i;
    made.add(one);
  }
  digest::totals rowless;
  rowless.commands = 1;
  made.count_rowless(rowless);
  return made;
}

class flush_test : public ::testing::Test {
 protected:
  flush_test() { write_facts(*database_, by_.uuid, by_.token, {}).value(); }

  frozen_delta delta(std::uint64_t number, const std::string& id,
                     digest::wall_time::duration age = {}) {
    const digest::table counts = counts_of(3);
    const auto at = now() - age;
    return {number, id, 4, at, at + retain, digest::stored_text(counts), counts.all().commands};
  }
  digest::wall_time now() { return database_->read_clocks().value().server; }
  flush_end flush(const frozen_delta& of) {
    return fleet::flush(*database_, by_, of, now()).value();
  }

  std::vector<document> shapes() {
    std::vector<document> all;
    const auto keep = [&all](wire::document_view one) {
      all.emplace_back(one.bytes().begin(), one.bytes().end());
      return true;
    };
    database_->find_all(collections::shapes, keep).value();
    return all;
  }
  std::uint64_t commands() {
    std::uint64_t sum = 0;
    for (const document& one : shapes()) sum += number_in(view_of(one), "count");
    return sum;
  }

  tests::simulated_server server_;
  std::unique_ptr<database> database_ = server_.open();
  flush_identity by_{"6f0e-uuid", "token"};
};

TEST_F(flush_test, counts_a_delta_once_however_often_it_is_repeated) {
  const auto one = delta(1, "first");
  EXPECT_EQ(flush(one), flush_end::acknowledged);
  EXPECT_EQ(flush(one), flush_end::acknowledged);
  EXPECT_EQ(commands(), 4U);
}

TEST_F(flush_test, ends_with_the_lease_and_is_resumed_with_the_next) {
  const digest::table counts = counts_of(600);
  const frozen_delta one{1,  "first", 4, now(), now() + retain, digest::stored_text(counts),
                         601};
  int asked = 0;
  by_.may_go_on = [&asked] { return ++asked == 1; };
  const auto ended = fleet::flush(*database_, by_, one, now());
  ASSERT_FALSE(ended);
  EXPECT_NE(ended.error().text.find("lease"), std::string::npos);
  EXPECT_EQ(commands(), flush_plan::most_statements);
  by_.may_go_on = {};
  EXPECT_EQ(flush(one), flush_end::acknowledged);
  EXPECT_EQ(commands(), 601U);
}

TEST_F(flush_test, of_a_copy_of_the_state_file_is_superseded) {
  EXPECT_EQ(flush(delta(1, "first")), flush_end::acknowledged);
  EXPECT_EQ(flush(delta(1, "of the copy")), flush_end::superseded);
  EXPECT_EQ(flush(delta(2, "second")), flush_end::acknowledged);
  EXPECT_EQ(flush(delta(1, "first")), flush_end::superseded);
  EXPECT_EQ(commands(), 8U);
}

TEST_F(flush_test, of_a_delta_older_than_it_may_be_writes_nothing) {
  EXPECT_EQ(flush(delta(1, "old", retain + moment)), flush_end::expired);
  EXPECT_EQ(commands(), 0U);
  EXPECT_EQ(flush(delta(1, "less old", retain - hours{1})), flush_end::acknowledged);
  EXPECT_EQ(commands(), 4U);
}

TEST_F(flush_test, leaves_records_that_outlive_the_delta) {
  const auto one = delta(1, "first", hours{5});
  EXPECT_EQ(flush(one), flush_end::acknowledged);
  const auto lock =
      database_->find_one(collections::locks, view_of(by_id("6f0e-uuid:1"))).value();
  ASSERT_TRUE(lock);
  const auto kept = date_in(view_of(*lock), "expiresAt").value() - one.expires_at;
  EXPECT_GT(kept, hours{24} - moment);
  EXPECT_LE(kept, hours{24});
}

TEST_F(flush_test, names_the_document_that_it_cannot_update) {
  frozen_delta one = delta(1, "first");
  one.logical_shards = 1;
  EXPECT_EQ(flush(one), flush_end::acknowledged);
  const std::string id = text_in(view_of(shapes().at(1)), "_id");
  wire::bson_writer damage;
  damage.document("q", view_of(by_id(id)));
  damage.open_document("u");
  damage.open_document("$set");
  damage.text("count", "many");
  damage.close();
  damage.close();
  ASSERT_EQ(database_->update(collections::shapes, {damage.take()}).value().matched, 1U);
  frozen_delta other = delta(2, "second");
  other.logical_shards = 1;
  const auto ended = fleet::flush(*database_, by_, other, now());
  ASSERT_FALSE(ended);
  EXPECT_NE(ended.error().text.find("in the document " + id + " of the collection shapes"),
            std::string::npos)
      << ended.error().text;
}

/// Marks, which a server without transactions needs, pruned by a later flush.
class mark_pruning_test : public flush_test {
 protected:
  mark_pruning_test() : plan_(flush_plan::of(delta(1, "id")).value()) {}

  void write(const std::string& uuid, digest::wall_time keep_until) {
    const flush_place at{uuid, 1, place_.n, true, keep_until};
    const auto written =
        database_->update(collections::shapes, plan_.batch(statistics_kind::shapes, 0, at))
            .value();
    ASSERT_TRUE(written.failed.empty());
  }
  /// The sidecars whose marks each of the documents has.
  std::vector<std::string> marks() {
    std::vector<std::string> all;
    for (const document& one : shapes()) {
      std::string names;
      wire::document_reader reader{document_in(view_of(one), "marks")};
      for (wire::element mark; reader.next(mark);) names += std::string{mark.key()} + " ";
      all.push_back(names);
    }
    return all;
  }

  flush_plan plan_;
  flush_place place_{"one", 1, 0, true};
};

TEST_F(mark_pruning_test, removes_marks_that_have_expired) {
  const auto end = now();
  write("one", end);
  write("other", end + moment);
  write("third", end + 2 * moment);
  prune_marks(*database_, plan_, place_, end);
  EXPECT_EQ(marks(), std::vector<std::string>(4, "one other third "));
  prune_marks(*database_, plan_, place_, end + moment);
  EXPECT_EQ(marks(), std::vector<std::string>(4, "other third "));
  prune_marks(*database_, plan_, place_, end + 3 * moment);
  EXPECT_EQ(marks(), std::vector<std::string>(4, ""));
  EXPECT_EQ(commands(), 12U);
}

TEST_F(mark_pruning_test, keeps_a_mark_that_was_written_again) {
  const auto end = now();
  write("gone", end);
  write("here", end);
  const flush_place again{"here", 2, place_.n, true, end + 2 * moment};
  ASSERT_TRUE(
      database_->update(collections::shapes, plan_.batch(statistics_kind::shapes, 0, again))
          .value()
          .failed.empty());
  prune_marks(*database_, plan_, place_, end + moment);
  EXPECT_EQ(marks(), std::vector<std::string>(4, "here "));
}

TEST_F(mark_pruning_test, looks_at_a_few_documents_each_time_and_at_all_in_the_end) {
  const digest::table counts = counts_of(20);
  plan_ = flush_plan::of({1, "id", 4, {}, {}, digest::stored_text(counts), 21}).value();
  write("gone", now());
  std::size_t left = 21;
  for (int i = 0; left != 0 && i < 1'000; ++i) {
    prune_marks(*database_, plan_, place_, now() + moment);
    std::size_t now_left = 0;
    for (const std::string& one : marks()) now_left += one.empty() ? 0 : 1;
    EXPECT_LE(left - now_left, 4U);
    left = now_left;
  }
  EXPECT_EQ(left, 0U);
}

frozen_delta delta_of(const digest::table& counts) {
  return {1, "id", 4, {}, {}, digest::stored_text(counts), counts.all().commands};
}

digest::table with_rows(std::size_t rows, std::size_t max_rows = 10'000) {
  digest::table made{max_rows};
  for (std::size_t i = 0; i < rows; ++i) {
    digest::row one;
    one.database = "d";
    one.command = "find";
    one.shape_hash = i;
    one.count = i + 1;
    made.add(one);
  }
  return made;
}

TEST(flush_plan, writes_every_command_of_the_delta) {
  for (unsigned seed = 1; seed < 10; ++seed) {
    const digest::table counts = digest::random_table(seed);
    const auto plan = flush_plan::of(delta_of(counts));
    ASSERT_TRUE(plan);
    tests::simulated_collection there;
    for (std::size_t i = 0; i < plan->size(statistics_kind::shapes); ++i) {
      EXPECT_EQ(there.apply(plan->statement(statistics_kind::shapes, i, {"u", 1, 0, true},
                                            when_missing::create)),
                1);
    }
    std::uint64_t commands = 0;
    for (const auto& each : there.documents()) commands += number_in(each, "count");
    EXPECT_EQ(commands, counts.all().commands);
  }
}

TEST(flush_plan, counts_evicted_rows_too) {
  const digest::table counts = with_rows(100, 50);
  ASSERT_GT(counts.evicted_rows(), 0U);
  const auto plan = flush_plan::of(delta_of(counts));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->size(statistics_kind::shapes), counts.size() + 1);
}

TEST(flush_plan, has_the_same_order_each_time) {
  const auto delta = delta_of(digest::random_table(4));
  const auto one = flush_plan::of(delta);
  const auto other = flush_plan::of(delta);
  ASSERT_TRUE(one && other);
  for (const statistics_kind kind : statistics) {
    ASSERT_EQ(one->size(kind), other->size(kind));
    for (std::size_t i = 0; i < one->size(kind); ++i) {
      const flush_place at{"u", 1, 0, false};
      EXPECT_EQ(one->statement(kind, i, at, when_missing::create),
                other->statement(kind, i, at, when_missing::create));
    }
  }
}

TEST(flush_plan, divides_into_batches_of_500) {
  const auto plan = flush_plan::of(delta_of(with_rows(1'200)));
  ASSERT_TRUE(plan);
  const flush_place at{"u", 1, 0, false};
  EXPECT_EQ(plan->batch(statistics_kind::shapes, 0, at).size(), 500U);
  EXPECT_EQ(plan->batch(statistics_kind::shapes, 500, at).size(), 500U);
  EXPECT_EQ(plan->batch(statistics_kind::shapes, 1'000, at).size(), 200U);
  EXPECT_TRUE(plan->batch(statistics_kind::callers, 0, at).empty());
}

TEST(flush_plan, keeps_batches_of_large_rows_below_the_maximum_message) {
  digest::table counts{1'000};
  for (std::uint64_t i = 0; i < 200; ++i) {
    digest::row one;
    one.database = "d";
    one.command = "find";
    one.shape_hash = i;
    one.count = 1;
    one.what.routing = routing::routing_class::unknown;
    one.what.suggestion = std::string(100'000, 'x');
    counts.add(one);
  }
  const auto plan = flush_plan::of(delta_of(counts));
  ASSERT_TRUE(plan);
  std::size_t done = 0;
  while (done < plan->size(statistics_kind::shapes)) {
    const auto batch = plan->batch(statistics_kind::shapes, done, {"u", 1, 0, false});
    std::size_t bytes = 0;
    for (const auto& each : batch) bytes += each.size();
    ASSERT_FALSE(batch.empty());
    EXPECT_LE(bytes, flush_plan::most_bytes);
    done += batch.size();
  }
  EXPECT_EQ(done, 200U);
}

TEST(flush_plan, of_a_delta_that_is_damaged_is_a_problem) {
  auto delta = delta_of(with_rows(3));
  delta.rows[delta.rows.size() / 2] ^= 1;
  EXPECT_FALSE(flush_plan::of(delta));
}

}  // namespace
}  // namespace scattergate::fleet
