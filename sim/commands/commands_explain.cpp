#include <algorithm>
#include <optional>
#include <set>

#include "sim/execution/arguments.hpp"
#include "sim/execution/change_stream.hpp"
#include "sim/execution/pipeline.hpp"
#include "sim/execution/pipeline_checks.hpp"
#include "sim/execution/pipeline_head.hpp"
#include "sim/execution/router.hpp"
#include "sim/execution/writes.hpp"
#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"

namespace scattergate::sim {
namespace {

/// The operation to explain, independent of the command.
struct subject {
  std::string ns;
  document filter;
  bool is_sorted = false;
  bool is_write = false;
  write_plan plan{};
  bool is_raw = false;  ///< for a time series: its buckets
  variables names{};    ///< the variables that the filter's `$expr` may use
};

/// Whether the simulated version is this one or later.
bool is_since(const context& at, std::string_view version) {
  return at.all.data.simulated_release().is_since(version);
}

document server_info(const context& at) {
  return {{"host", "scattergate-sim"},
          {"version", at.all.data.simulated_release().version()},
          {"scattergateSimulator", true}};
}

document planner_of(context& at, const subject& what) {
  document plan;
  if (is_since(at, "8.0")) plan.append("isCached", false);
  plan.append("stage", at.all.data.find(what.ns) != nullptr ? "COLLSCAN" : "EOF");
  document out;
  if (!is_since(at, "5.0")) out.append("plannerVersion", std::int32_t{1});
  out.append("namespace", what.ns);
  out.append("parsedQuery", what.filter);
  out.append("indexFilterSet", false);
  out.append("winningPlan", std::move(plan));
  out.append("rejectedPlans", array{});
  return out;
}

/// The format of a plan, if this version reports it.
void append_explain_version(const context& at, document& to) {
  if (is_since(at, "5.0")) to.append("explainVersion", "1");
}

document shard_plan(context& at, const subject& what, shard_index number) {
  const shard& each = at.all.data.shards()[number];
  document out;
  append_explain_version(at, out);
  out.append("shardName", each.name);
  out.append("connectionString", each.host);
  out.append("serverInfo", server_info(at));
  for (const field& one : planner_of(at, what)) out.append(one.name, one.content);
  return out;
}

std::string stage_of(const subject& what) {
  if (what.is_write) return "SHARD_WRITE";
  if (what.plan.shards.size() == 1) return "SINGLE_SHARD";
  return what.is_sorted ? "SHARD_MERGE_SORT" : "SHARD_MERGE";
}

array shard_plans(context& at, const subject& what, const std::set<shard_index>& which) {
  array plans;
  for (const shard_index each : which) plans.emplace_back(shard_plan(at, what, each));
  return plans;
}

/// mongo: cluster_explain.cpp; for a two-phase write, write_without_shard_key_util.cpp.
document winning_plan(context& at, const subject& what) {
  array shards = shard_plans(at, what, what.plan.shards);
  if (!what.plan.is_two_phase)
    return {{"stage", stage_of(what)}, {"shards", std::move(shards)}};
  const document asked{{"stage", what.is_sorted ? "SHARD_MERGE_SORT" : "SHARD_MERGE"},
                       {"shards", std::move(shards)}};
  return {{"stage", "SHARD_WRITE"},
          {"inputStage", document{{"winningPlan", asked}}},
          {"shards", shard_plans(at, what, {*what.plan.shards.begin()})}};
}

document first_statement(const document& inner, const char* name) {
  const array& statements = array_argument(inner, name);
  const auto* only = statements.size() == 1 ? statements.front().as<document>() : nullptr;
  if (only == nullptr)
    refuse(errc::invalid_options, "explained write batches must be of size 1");
  return *only;
}

subject subject_of_write(context& at, write_filter which, const value* change,
                         const array& array_filters = {}, bool has_constants = false) {
  const matcher checked{which.filter, which.names};
  std::optional<update> parsed;
  if (which.kind == write_kind::update && change != nullptr) {
    parsed.emplace(*change, now_millis(), array_filters);
    check_update(at, which, *parsed, has_constants);
    // An upsert is targeted by its replacement only where writes have two phases.
    if (!which.upserts || is_since(at, "8.0")) which.replacement = parsed->replacement();
  }
  // An explain doesn't show that a write of several shards goes to all (mongo: commandOpWrite
  // "does not completely emulate write behavior").
  const write_plan plan = plan_write(at, which);
  if (change != nullptr) {
    check_on_shards(at, which, parsed ? *parsed : update{*change, now_millis()});
  }
  return {which.ns, which.filter, false, true, plan, which.is_raw, which.names};
}

subject subject_of_statement(context& at, const std::string& ns, const document& inner) {
  const std::string& name = inner.front().name;
  if (name == "delete") {
    const document each = first_statement(inner, "deletes");
    return subject_of_write(at, read_statement(at, write_kind::remove, ns, each, "q", inner),
                            nullptr);
  }
  if (name == "update") {
    const document each = first_statement(inner, "updates");
    return subject_of_write(at, read_statement(at, write_kind::update, ns, each, "q", inner),
                            &needed_argument(each, "u"), array_argument(each, "arrayFilters"),
                            argument(each, "c") != nullptr);
  }
  write_filter which =
      read_statement(at, write_kind::find_and_modify, ns, inner, "query", inner);
  which.sort = {};
  return subject_of_write(at, std::move(which), argument(inner, "update"),
                          array_argument(inner, "arrayFilters"));
}

subject subject_of_pipeline(context& at, const std::string& ns, const document& inner) {
  const array& stages = array_argument(inner, "pipeline");
  check_stages(stages);
  check_foreign(at, at.in.db, stages);
  check_places(stages);
  subject out{ns, leading_filter(stages)};
  out.is_raw = is_raw(at, ns, inner);
  out.names = let_of(inner);
  for (const value& each : stages) {
    const matcher checked{document_argument(*each.as<document>(), "$match"), out.names};
  }
  out.is_sorted = std::any_of(stages.begin(), stages.end(), [](const value& each) {
    return each.as<document>()->has("$sort");
  });
  if (runs_on_router(stages)) return out;
  if (is_change_stream(stages)) {
    for (shard_index i = 0; i < at.all.data.shards().size(); ++i) out.plan.shards.insert(i);
    return out;
  }
  out.plan.shards = read_targets(at, ns, head_of(stages, filter_terms_of(at, out.names)),
                                 collation_of(at, ns, inner), out.is_raw);
  return out;
}

subject subject_of_read(context& at, const std::string& ns, const document& inner) {
  const bool is_find = inner.front().name == "find";
  subject out{ns, document_argument(inner, is_find ? "filter" : "query")};
  out.is_raw = is_raw(at, ns, inner);
  out.names = let_of(inner);
  const matcher checked{out.filter, out.names};
  check_counts(at, inner);
  out.is_sorted = is_find && !document_argument(inner, "sort").empty();
  out.plan.shards = read_targets(at, ns, filter_for_targeting(at, out.filter, out.names),
                                 collation_of(at, ns, inner), out.is_raw);
  return out;
}

subject subject_of(context& at, const std::string& ns, const document& inner) {
  const std::string& name = inner.front().name;
  if (name == "update" || name == "delete" || name == "findAndModify" ||
      name == "findandmodify") {
    return subject_of_statement(at, ns, inner);
  }
  if (name == "aggregate") return subject_of_pipeline(at, ns, inner);
  if (name == "find" || name == "count" || name == "distinct") {
    return subject_of_read(at, ns, inner);
  }
  refuse(errc::command_not_found, "Explain failed due to unknown command: " + name);
}

/// The plan of one shard for a pipeline.
void append_pipeline_plan(context& at, const subject& what, const array& stages, document& to) {
  const document planner = planner_of(at, what);
  if (is_like_find(stages)) {
    to.append("queryPlanner", planner);
  } else {
    to.append("stages", array{document{{"$cursor", document{{"queryPlanner", planner}}}}});
  }
}

/// Up to 7.0 mongos passes on the reply of an unsharded collection's only shard, without naming
/// it (mongo: cluster_aggregation_planner.cpp, runPipelineOnPrimaryShard).
document passed_through(context& at, const subject& what, const array& stages) {
  document out;
  append_explain_version(at, out);
  append_pipeline_plan(at, what, stages, out);
  out.append("serverInfo", server_info(at));
  return out;
}

/// A pipeline: the shards' part and the merging part (mongo: sharded_agg_helpers.cpp). A
/// pipeline equivalent to a find has a plan per shard, any other has stages.
document pipeline_plan(context& at, const subject& what, const array& stages) {
  const collection* of = at.all.data.find(what.ns);
  if (!is_since(at, "8.0") && (of == nullptr || !of->spread)) {
    return passed_through(at, what, stages);
  }
  document shards;
  for (const shard_index each : what.plan.shards) {
    const shard& one = at.all.data.shards()[each];
    document plan{{"host", one.host}};
    if (is_since(at, "7.0")) append_explain_version(at, plan);
    append_pipeline_plan(at, what, stages, plan);
    shards.append(one.name, std::move(plan));
  }
  document out{{"serverInfo", server_info(at)}};
  if (what.plan.shards.size() > 1) {
    array merger{document{{"$mergeCursors", document{{"nss", what.ns}}}}};
    merger.insert(merger.end(), stages.begin(), stages.end());
    out.append("mergeType", "mongos");
    out.append("splitPipeline",
               document{{"shardsPart", array{document{{"$match", what.filter}}}},
                        {"mergerPart", std::move(merger)}});
  } else {
    out.append("splitPipeline", null{});
  }
  out.append("shards", std::move(shards));
  return out;
}

/// The aggregate that mongos runs for a read of a view.
document on_source(context& at, const std::string& ns, const document& inner) {
  const std::string& name = inner.front().name;
  if (name != "aggregate" && name != "find" && name != "count" && name != "distinct") {
    check_no_view(at.all.data, ns);
  }
  array own = array_argument(inner, "pipeline");
  if (name != "aggregate") {
    own.emplace_back(
        document{{"$match", document_argument(inner, name == "find" ? "filter" : "query")}});
  }
  check_stages(own);
  pipeline_source source = source_of(at.all.data, ns, std::move(own));
  document out{{"aggregate", split_ns(source.ns).name},
               {"pipeline", std::move(source.stages)},
               {"cursor", document{}}};
  const value* given = argument(inner, "collation");
  const value* views = argument(at.all.data.find(ns)->options, "collation");
  const value simple{document{{"locale", "simple"}}};
  out.append("collation", given != nullptr ? *given : views != nullptr ? *views : simple);
  if (const value* let = argument(inner, "let")) out.append("let", *let);
  return out;
}

/// Runs explain for a find, count, distinct, aggregate, update, delete or findAndModify.
/// Returns a reply in the form of mongos's reply.
document run_explain(context& at) {
  document inner = document_argument(at.in.body, "explain");
  if (inner.empty()) refuse(errc::failed_to_parse, "explain needs a command");
  const auto* name = inner.front().content.as<std::string>();
  if (name == nullptr) refuse(errc::invalid_namespace, "explain needs a collection");
  std::string ns = at.in.db + "." + *name;
  static_cast<void>(split_ns(ns));
  const bool lacks_cursor = inner.front().name == "aggregate" && !inner.has("cursor");
  if (lacks_cursor && is_since(at, "8.0")) {  // a real 8.0; earlier ones don't ask for it
    refuse(errc::failed_to_parse, "The 'cursor' option is required");
  }
  if (is_view(at.all.data, ns)) {
    inner = on_source(at, ns, inner);
    ns = source_of(at.all.data, ns, {}).ns;
  }
  const subject what = subject_of(at, ns, inner);
  note_reached(at, what.plan.shards, "explain");
  document out;
  if (inner.front().name == "aggregate") {
    out = pipeline_plan(at, what, array_argument(inner, "pipeline"));
  } else {
    document planner;
    if (!is_since(at, "8.0")) planner.append("mongosPlannerVersion", std::int32_t{1});
    planner.append("winningPlan", winning_plan(at, what));
    out.append("queryPlanner", std::move(planner));
    out.append("serverInfo", server_info(at));
  }
  out.append("command", inner);
  return out;
}

}  // namespace

std::span<const command_spec> explain_commands() {
  static constexpr std::array all{command_spec{"explain", run_explain}};
  return all;
}

}  // namespace scattergate::sim
