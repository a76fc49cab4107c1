#include "report/verify/verifier.hpp"

#include <deque>

#include <gtest/gtest.h>

#include "report/views/verify_report.hpp"
#include "tests/support/json_document.hpp"
#include "tests/support/single_spaced.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::report {
namespace {

using config::mongo_error;
using config::mongo_failure;
using tests::json_document;

/// A mongos that sends the given replies in turn.
class scripted_mongos final : public config::mongo_reader {
 public:
  std::deque<config::mongo_result<std::vector<std::byte>>> replies;
  std::vector<std::string> sent;

  void reply(const std::string& json) {
    const json_document document{json};
    const auto bytes = document.view().bytes();
    replies.emplace_back(std::vector<std::byte>{bytes.begin(), bytes.end()});
  }
  void plan(const std::string& shards) {
    reply(R"({"queryPlanner": {"winningPlan": {"stage": "S", "shards": [)" + shards + "]}}}");
  }

  config::mongo_result<config::mongo_server> connect() override { return {}; }
  config::mongo_result<std::vector<std::byte>> run(std::string_view database,
                                                   wire::document_view command) override {
    sent.push_back(std::string{database} + " " + wire::relaxed_json_of(command.bytes()));
    auto next = std::move(replies.front());
    replies.pop_front();
    return next;
  }
  config::mongo_result<void> find(std::string_view, std::string_view, wire::document_view,
                                  wire::document_view, const document_sink&) override {
    return mongo_error{};
  }
  config::mongo_result<void> list_collections(std::string_view, wire::document_view,
                                              const document_sink&) override {
    return mongo_error{};
  }
};

constexpr const char* a = R"({"shardName": "a"})";
constexpr const char* a_and_b = R"({"shardName": "a"}, {"shardName": "b"})";

/// d.c is sharded on {k: 1}: below 10 on shard a, the rest on `upper`; d.n has no chunks.
std::shared_ptr<const routing::catalog> catalog_with(std::string_view upper) {
  routing::catalog_builder builder;
  routing::collection entry;
  entry.database = "d";
  entry.name = "c";
  entry.key = {{"k", false}};
  EXPECT_FALSE(builder.add(entry));
  const json_document low{R"({"k": {"$minKey": 1}})"};
  const json_document middle{R"({"k": 10})"};
  const json_document high{R"({"k": {"$maxKey": 1}})"};
  EXPECT_FALSE(builder.add_chunk(low.view(), middle.view(), "a"));
  EXPECT_FALSE(builder.add_chunk(middle.view(), high.view(), upper));
  EXPECT_FALSE(builder.finish_collection());
  entry.name = "n";
  EXPECT_FALSE(builder.add(entry));
  EXPECT_FALSE(builder.finish_collection());
  return builder.build();
}

explainable command(std::string_view json) {
  const json_document body{json};
  return explainables_of(*wire::command_of(body.view())).front();
}

TEST(verifier, holds_the_fan_out_against_the_plan) {
  scripted_mongos mongos;
  verifier by{mongos, catalog_with("b"), nullptr};
  mongos.plan(a);
  const check done = by.check_one(command(R"({"find": "c", "filter": {"k": 5}, "$db": "d"})"));
  EXPECT_EQ(done.result.is, outcome::agreed);
  EXPECT_EQ(by.sent(), 1U);
  EXPECT_TRUE(mongos.sent[0].starts_with("d { \"explain\" : ")) << mongos.sent[0];
}

TEST(verifier, looks_at_a_disagreement_again_with_a_newer_catalog) {
  scripted_mongos mongos;
  verifier by{mongos, catalog_with("a"), [] { return catalog_with("b"); }};
  mongos.plan(a_and_b);
  mongos.plan(a_and_b);
  const check done = by.check_one(command(R"({"find": "c", "filter": {}, "$db": "d"})"));
  EXPECT_EQ(done.result.is, outcome::agreed);
  EXPECT_EQ(by.sent(), 2U);
}

TEST(verifier, a_disagreement_that_stays_is_one) {
  scripted_mongos mongos;
  int asked = 0;
  verifier by{mongos, catalog_with("a"), [&asked] {
                ++asked;
                return nullptr;
              }};
  mongos.plan(a_and_b);
  mongos.plan(a_and_b);
  const explainable what = command(R"({"find": "c", "filter": {}, "$db": "d"})");
  const check done = by.check_one(what);
  EXPECT_EQ(done.result.is, outcome::disagreed);
  EXPECT_EQ(asked, 1);
  verify_report report{false};
  const std::string text = report.add("line 7", what, done);
  EXPECT_EQ(tests::single_spaced(text),
            "DISAGREED  line 7  find  d.c\n"
            "  command      { \"find\" : \"c\", \"filter\" : { }, \"$db\" : \"d\" }\n"
            "  scattergate  scatter_gather, missing_key, missing k; shards: a\n"
            "  mongos       S; shards: a, b\n"
            "  why          mongos also asks b\n");
  EXPECT_EQ(report.exit_status(), 1);
}

TEST(verifier, asks_once_which_shards_own_chunks_where_the_catalog_does_not_know) {
  scripted_mongos mongos;
  verifier by{mongos, catalog_with("b"), nullptr};
  const explainable what = command(R"({"find": "n", "filter": {"x": 1}, "$db": "d"})");
  mongos.plan(a_and_b);
  mongos.plan(a_and_b);
  EXPECT_EQ(by.check_one(what).result.is, outcome::agreed);
  mongos.plan(a_and_b);
  EXPECT_EQ(by.check_one(what).result.is, outcome::agreed);
  EXPECT_EQ(by.sent(), 3U);
  EXPECT_NE(mongos.sent[1].find("{ \"find\" : \"n\" }"), std::string::npos) << mongos.sent[1];
}

TEST(verifier, does_not_ask_about_what_cannot_be_compared) {
  scripted_mongos mongos;
  verifier by{mongos, routing::catalog::absent(), nullptr};
  const check done = by.check_one(command(R"({"find": "c", "$db": "d"})"));
  EXPECT_EQ(done.result.is, outcome::not_compared);
  EXPECT_EQ(by.check_one(command(R"({"insert": "c", "$db": "d"})")).result.why,
            "MongoDB doesn't explain insert");
  EXPECT_EQ(by.sent(), 0U);
}

TEST(verifier, an_error_of_mongos_is_a_failure_and_being_out_of_reach_the_end) {
  scripted_mongos mongos;
  verifier by{mongos, catalog_with("b"), nullptr};
  const explainable what = command(R"({"find": "c", "filter": {"k": 5}, "$db": "d"})");
  mongos.replies.emplace_back(mongo_error{mongo_failure::command_failed, 2, "no"});
  const check refused = by.check_one(what);
  EXPECT_EQ(refused.result.is, outcome::failed);
  EXPECT_FALSE(refused.trouble);
  mongos.replies.emplace_back(mongo_error{mongo_failure::unreachable, 0, "gone"});
  EXPECT_TRUE(by.check_one(what).trouble);
}

TEST(verifier, what_we_say_is_refused_agrees_with_any_error) {
  scripted_mongos mongos;
  verifier by{mongos, catalog_with("b"), nullptr};
  mongos.replies.emplace_back(
      mongo_error{mongo_failure::command_failed, 2, "unknown operator"});
  const check done =
      by.check_one(command(R"({"find": "c", "filter": {"k": {"$nope": 1}}, "$db": "d"})"));
  EXPECT_EQ(done.result.is, outcome::agreed) << done.result.why;
}

TEST(verify_report, counts_by_command_and_says_what_was_left_out) {
  verify_report report{false};
  check done;
  done.result = {outcome::agreed, {}};
  explainable what;
  what.kind = routing::command_kind::find;
  EXPECT_EQ(report.add("line 1", what, done), "");
  done.result = {outcome::not_compared, "MongoDB doesn't explain insert"};
  what.kind = routing::command_kind::insert;
  EXPECT_EQ(report.add("line 2", what, done), "");
  EXPECT_EQ(report.summary(),
            "command                 agreed     disagreed        failed  not compared\nfind    "
            "                     1             0             0             0\ninsert          "
            "             0             0             0             1\nall                     "
            "     1             0             0             1\nnot compared:\n     1  insert: "
            "MongoDB doesn't explain insert\n");
  EXPECT_EQ(report.exit_status(), 0);
  EXPECT_EQ(report.add_unreadable("line 3", "\x1b[31m"),
            "NOT A COMMAND  line 3  \\u001b[31m\n");
  EXPECT_EQ(report.exit_status(), 2);
}

using routing::bounds_kind;
using routing::routing_class;
using names = std::vector<std::string>;
using plan_kind = explain_plan::kind;

own_verdict verdict(routing_class routing, bounds_kind bounds,
                    std::optional<names> fanout = std::nullopt) {
  own_verdict made;
  made.routing = routing;
  made.bounds = bounds;
  made.fanout = std::move(fanout);
  return made;
}

explain_plan asks(names shards) {
  explain_plan made;
  made.is = plan_kind::shards;
  made.shards = std::move(shards);
  return made;
}

explain_plan other(plan_kind is) {
  explain_plan made;
  made.is = is;
  return made;
}

const own_verdict scatter = verdict(routing_class::scatter_gather, bounds_kind::full);
const own_verdict narrowed = verdict(routing_class::multi_shard, bounds_kind::narrowed);
const own_verdict point = verdict(routing_class::single_shard, bounds_kind::point);
const own_verdict unsharded = verdict(routing_class::unsharded, bounds_kind::none);

outcome of(const own_verdict& ours, const explain_plan& plan,
           const std::optional<names>& owners = std::nullopt) {
  return compare(ours, plan, owners).is;
}

TEST(comparison, a_known_fan_out_must_be_the_plans_shards_exactly) {
  own_verdict ours = scatter;
  ours.fanout = names{"a", "b"};
  EXPECT_EQ(of(ours, asks({"a", "b"})), outcome::agreed);
  EXPECT_EQ(compare(ours, asks({"a", "b", "c"}), {}).why, "mongos also asks c");
  EXPECT_EQ(compare(ours, asks({"b"}), {}).why, "mongos doesn't ask a");
  EXPECT_EQ(compare(ours, asks({"b", "c"}), {}).why, "mongos also asks c, but not a");
}

TEST(comparison, a_scatter_over_chunks_of_one_shard_asks_that_one) {
  own_verdict ours = scatter;
  ours.fanout = names{"a"};
  EXPECT_EQ(of(ours, asks({"a"})), outcome::agreed);
  EXPECT_EQ(of(ours, other(plan_kind::one_shard)), outcome::agreed);
}

TEST(comparison, of_a_plan_that_was_cut_short_only_what_is_too_much_counts) {
  own_verdict ours = scatter;
  ours.fanout = names{"a", "b"};
  explain_plan cut = asks({"a"});
  cut.is_complete = false;
  EXPECT_EQ(of(ours, cut), outcome::agreed);
  cut.shards = {"z"};
  EXPECT_EQ(of(ours, cut), outcome::disagreed);
}

TEST(comparison, without_chunks_a_point_goes_to_one_shard) {
  EXPECT_EQ(of(point, asks({"b"})), outcome::agreed);
  EXPECT_EQ(of(point, asks({"a", "b"})), outcome::disagreed);
}

TEST(comparison, without_chunks_a_scatter_asks_all_that_own_any) {
  EXPECT_TRUE(needs_owners(scatter));
  EXPECT_EQ(of(scatter, asks({"a", "b"}), names{"a", "b"}), outcome::agreed);
  EXPECT_EQ(of(scatter, asks({"a"}), names{"a", "b"}), outcome::disagreed);
}

TEST(comparison, without_chunks_narrowed_bounds_may_ask_any_of_the_owners) {
  EXPECT_EQ(of(narrowed, asks({"a"}), names{"a", "b"}), outcome::agreed);
  EXPECT_EQ(of(narrowed, asks({"a", "b"}), names{"a", "b"}), outcome::agreed);
  EXPECT_EQ(of(narrowed, asks({"c"}), names{"a", "b"}), outcome::failed);
}

TEST(comparison, without_chunks_a_complement_may_leave_an_owner_out) {
  own_verdict ours = scatter;
  ours.why = routing::reason::negation;
  EXPECT_EQ(of(ours, asks({"a"}), names{"a", "b"}), outcome::agreed);
}

TEST(comparison, an_unsharded_collection_is_on_one_shard_or_nowhere) {
  EXPECT_EQ(of(unsharded, asks({"a"})), outcome::agreed);
  EXPECT_EQ(of(unsharded, other(plan_kind::one_shard)), outcome::agreed);
  EXPECT_EQ(of(unsharded, other(plan_kind::no_shard)), outcome::agreed);
  EXPECT_EQ(of(unsharded, asks({"a", "b"})), outcome::disagreed);
}

TEST(comparison, a_sharded_collection_that_mongos_does_not_know_is_a_disagreement) {
  EXPECT_EQ(of(point, other(plan_kind::no_shard)), outcome::disagreed);
  EXPECT_EQ(of(scatter, other(plan_kind::one_shard)), outcome::disagreed);
}

TEST(comparison, both_may_refuse_a_command_and_we_may_not_refuse_alone) {
  own_verdict ours = scatter;
  ours.refused = routing::refusal::shard_key_not_found;
  explain_plan error = other(plan_kind::refused);
  error.code = 61;
  EXPECT_EQ(of(ours, error), outcome::agreed);
  EXPECT_EQ(compare(ours, asks({"a"}), {}).why,
            "mongos plans it, but doesn't reply ShardKeyNotFound");
  EXPECT_EQ(of(scatter, error), outcome::failed);
  EXPECT_EQ(of(scatter, other(plan_kind::no_plan)), outcome::failed);
}

TEST(comparison, says_what_there_is_nothing_to_compare_of) {
  EXPECT_EQ(why_incomparable(scatter), "");
  EXPECT_NE(why_incomparable(verdict(routing_class::unknown, bounds_kind::none)), "");
  EXPECT_NE(why_incomparable(verdict(routing_class::not_routed, bounds_kind::none)), "");
  own_verdict by_nature = scatter;
  by_nature.why = routing::reason::by_nature;
  EXPECT_NE(why_incomparable(by_nature), "");
}

}  // namespace
}  // namespace scattergate::report
