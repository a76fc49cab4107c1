#include "routing/statements/pipeline.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "routing/bounds/language.hpp"
#include "routing/bounds/stage_reader.hpp"
#include "routing/pipeline/pipeline_head.hpp"
#include "routing/stages/stage.hpp"
#include "routing/statements/foreign_stages.hpp"
#include "routing/statements/measurements.hpp"
#include "routing/statements/touch_log.hpp"

namespace scattergate::routing {

using wire::document_view;

view_chain chain_of(const pipeline_source& source, const judging_context& context) noexcept {
  view_chain chain;
  chain.pipelines[chain.count++] = source.stages;
  chain.name = source.from;
  chain.base = resolve(context, chain.name);
  chain.simple_collation = chain.base.entry == nullptr || chain.base.entry->simple_collation;
  while (chain.base.entry != nullptr && chain.base.entry->is_view()) {
    if (chain.count == chain.pipelines.size()) {
      chain.too_deep = true;
      break;
    }
    const collection& view = *chain.base.entry;
    chain.pipelines[chain.count++] =
        document_view::from(view.view_pipeline).value_or(document_view{});
    chain.name = {view.database, view.view_on};
    chain.base = resolve(context, chain.name);
  }
  return chain;
}

using wire::element;

namespace {

/// Whether a pipeline that begins with this stage opens a change stream. Change streams listen
/// on every shard of the cluster, because a collection may move or become sharded (mongo:
/// sharded_agg_helpers.cpp, mustRunOnAllShards).
bool is_change_stream(const element& first_stage) noexcept {
  return stage_of(first_stage.key()).source == stage_source::every_shard;
}

bool opens_change_stream(document_view stages, wire::work_budget& work) noexcept {
  stage_reader reader{stages, work};
  element first;
  return reader.next(first) && is_change_stream(first);
}

statement judge_change_stream(const resolved_namespace& on,
                              const judging_context& context) noexcept {
  statement made;
  made.goes_to.routing = routing_class::scatter_gather;
  made.goes_to.bounds = bounds_kind::full;
  made.goes_to.why = reason::by_nature;
  made.goes_to.fanout = every_shard(context.entries, context.memory);
  made.judged = on.entry;
  return made;
}

/// Whether a pipeline that begins with this stage asks every shard for other data than
/// documents.
bool asks_all_by_nature(const element& first_stage) noexcept {
  return stage_of(first_stage.key()).asks_by_nature();
}

/// The target of a filter that may have equalities with values that differ between documents.
/// Each value leads to one shard, but different ones to different shards.
target target_of_varying(filter_walk& walk, scratch& memory) noexcept {
  const key_bounds& bounds = walk.finish();
  const bool is_led = walk.facts().varying.contains(0) ||
                      (!bounds.fields.empty() && !bounds.fields[0].is_full());
  if (walk.facts().varying.is_empty() || !is_led) return target_of(walk, memory);
  target found;
  found.bounds = bounds_kind::narrowed;
  found.fanout = all_owners(walk.target(), memory);
  const bool one_shard = found.fanout && found.fanout->size() == 1;
  found.routing = one_shard ? routing_class::single_shard : routing_class::multi_shard;
  if (!one_shard) found.why = reason::many_values;
  return found;
}

/// The error with which mongos rejects the stages: it can't parse them, or doesn't allow one in
/// a transaction (mongo: lite_parsed_pipeline.cpp, verifyIsSupported; pipeline.cpp,
/// validateCommon). In a transaction, the stages of views count too.
refusal refusal_of(const view_chain& chain, const judging_context& context) noexcept {
  if (context.stages_are_checked) return refusal::none;
  const std::size_t read = context.in_transaction ? chain.count : 1;
  refusal found = refusal::none;
  for (std::size_t i = 0; i < read && found == refusal::none; ++i) {
    found = refusal_of_stages(chain.pipelines[i], context.entries.version(),
                              context.in_transaction, context.memory.work());
  }
  return found;
}

/// Adds the error with which mongos rejects the positions of stages, once it has parsed them.
/// `made`: the judgement so far.
statement placed_rightly(statement made, const pipeline_source& source, const view_chain& chain,
                         const judging_context& context) noexcept {
  if (context.stages_are_checked || made.refused != refusal::none) return made;
  refusal found = refusal_of_stage_order(source.stages, context.memory.work());
  // It isn't known whether earlier versions check this before they send the pipeline (mongo:
  // s/query/cluster_aggregate.cpp of 8.0, runAggregate: validateCommon after optimizePipeline).
  const bool is_optimized_first = context.entries.version() >= server_version{8, 0} &&
                                  chain.count == 1 && chain.base.series == nullptr;
  if (found == refusal::none && is_optimized_first &&
      has_later_geo_near(source.stages, context.memory.work())) {
    found = refusal::near_not_first;
  }
  if (found != refusal::none) made.reject(found);
  return made;
}

/// Judges the reading of the source's documents.
statement judge_reading(const pipeline_source& source, const view_chain& chain,
                        const judging_context& context) noexcept {
  const collection& on = *chain.base.sharded;
  wire::work_budget& work = context.memory.work();
  const bool simple = source.simple_collation.value_or(chain.simple_collation);
  filter_rules rules{simple, context.entries.version(), source.let};
  rules.may_not_simplify = context.depth > 0;
  rules.has_other_variables = context.depth > 0;
  rules.is_stage = true;
  filter_walk walk{on, rules, context.memory};
  if (chain.base.series != nullptr) return judge_measurements(source, chain, walk, context);
  pipeline_head head{walk, context.memory};
  bool by_nature = false;
  bool is_stream = false;
  bool is_first = true;
  for (std::size_t i = 0; i < chain.count; ++i) {
    if (i + 1 == chain.count) {  // after the views' stages, before the command's
      if (!source.varying_path.empty()) head.pass_varying(source.varying_path);
      if (source.filter) (void)head.pass_match(*source.filter);
    }
    stage_reader stages{chain.from_base(i), work, units_of_stage};
    for (element stage; stages.next(stage);) {
      by_nature |= is_first && asks_all_by_nature(stage);
      is_stream |= is_first && is_change_stream(stage);
      is_first = false;
      if (!head.pass(stage)) break;
    }
  }
  if (source.rest && !source.as.empty()) {
    head.pass_after_lookup(*source.rest, source.as);
  } else if (source.rest) {
    // mongos doesn't move a condition that it copied before a $redact any further.
    stage_reader stages{*source.rest, work, units_of_stage};
    for (element stage; stages.next(stage);) {
      if (stage_of(stage.key()).passes == stage_pass::redacts || !head.pass(stage)) break;
    }
  }
  if (source.last_match) (void)head.pass_match(*source.last_match);
  const target found = target_of_varying(walk, context.memory);
  statement made = statement::of(walk, found, head.fault());
  if (head.fault() != filter_fault::none) return made;
  made.sent_everywhere = is_stream;
  if (by_nature) {
    made.goes_to.why = reason::by_nature;
  } else if (made.goes_to.bounds == bounds_kind::full && !head.has_filter()) {
    made.goes_to.why = reason::no_leading_match;
  }
  if (made.lint == lint_kind::none && !by_nature) made.lint = lint_of(walk, found);
  return made;
}

/// Judges writes of documents to `into`. mongos targets each document by its values of the
/// fields in `on_fields`, by default those of the shard key.
statement judge_written(const collection& into, const std::optional<element>& on_fields,
                        scratch& memory) noexcept {
  filter_walk walk{into, filter_rules{}, memory};
  if (!on_fields) {  // _id and the shard key
    for (const key_field& field : into.key) walk.add_varying(field.path);
  } else if (on_fields->is_string()) {
    walk.add_varying(on_fields->as_string());
  } else if (const auto list = on_fields->as_container()) {
    wire::metered_reader reader{*list, memory.work()};
    for (element field; reader.next(field);) walk.add_varying(field.as_string());
  }
  return statement::of(target_of_varying(walk, memory), into);
}

/// Whether mongos answers the pipeline itself, as it does for $listSearchIndexes (mongo:
/// pipeline/search/document_source_list_search_indexes.cpp, constraints: kLocalOnly, later
/// kReceivingHostOnly).
bool is_for_mongos(document_view stages, server_version version,
                   wire::work_budget& work) noexcept {
  stage_reader reader{stages, work};
  element first;
  if (!reader.next(first)) return false;
  const stage_row& row = stage_of(first.key());
  return row.source == stage_source::mongos && row.is_in(version);
}

/// Whether shards answer a pipeline on a view for the view itself, not for its collection: the
/// pipeline begins with $collStats (mongo: commands/run_aggregate.cpp, startsWithCollStats).
bool is_answered_for_view(const pipeline_source& source,
                          const judging_context& context) noexcept {
  stage_reader reader{source.stages, context.memory.work()};
  element first;
  return reader.next(first) && first.key() == coll_stats_stage;
}

/// The pipelines whose results the first stage combines; std::nullopt if it isn't such a stage.
std::optional<document_view> fused_pipelines(document_view stages,
                                             wire::work_budget& work) noexcept {
  stage_reader reader{stages, work};
  element first;
  if (!reader.next(first)) return std::nullopt;
  if (!stage_of(first.key()).fuses) return std::nullopt;
  const auto options = first.as_document();
  const auto input = options ? wire::find_field(*options, "input", work) : std::nullopt;
  const auto inside = input ? input->as_document() : std::nullopt;
  const auto pipelines = inside ? wire::find_field(*inside, "pipelines", work) : std::nullopt;
  return pipelines ? pipelines->as_document() : std::nullopt;
}

/// Judges a first stage that combines pipelines, each of which reads the collection: mongos
/// runs the first one directly, and the others by a $unionWith each (mongo:
/// document_source_rank_fusion.cpp at 012c6013a20f, buildFirstPipelineStages,
/// buildUnionWithPipeline; document_source_score_fusion.cpp). It puts a $group before the
/// following stages. std::nullopt if a pipeline can't be read.
std::optional<statement> judge_fused(const pipeline_source& source, const view_chain& chain,
                                     document_view pipelines,
                                     const judging_context& context) noexcept {
  std::optional<statement> all;
  std::size_t count = 0;
  wire::metered_reader reader{pipelines, context.memory.work()};
  for (element each; reader.next(each); ++count) {
    const auto stages = each.as_array();
    if (!stages) return std::nullopt;
    pipeline_source part = source;
    part.stages = *stages;
    part.rest.reset();
    part.last_match.reset();
    view_chain through = chain;
    through.pipelines[0] = *stages;
    const statement one = judge_reading(part, through, context);
    if (!all) {
      all = one;
      continue;
    }
    add_foreign(*all, one);
    if (all->goes_to.why == reason::foreign_scatter) all->goes_to.why = one.goes_to.why;
  }
  // Each pipeline goes to one shard, but perhaps to different ones.
  if (count > 1 && all->goes_to.routing == routing_class::single_shard &&
      (!all->goes_to.fanout || all->goes_to.fanout->size() > 1)) {
    all->goes_to.routing = routing_class::multi_shard;
    all->goes_to.why = reason::many_values;
  }
  return all;
}

statement judge_source(const pipeline_source& source, const view_chain& chain,
                       const judging_context& context) noexcept {
  const server_version version = context.entries.version();
  if (context.depth == 0 && is_for_mongos(source.stages, version, context.memory.work())) {
    statement made;
    made.goes_to.routing = routing_class::not_routed;
    return made;
  }
  const bool is_stream = context.depth == 0 &&
                         chain.base.answer_routing != routing_class::unknown &&
                         opens_change_stream(source.stages, context.memory.work());
  const bool is_view = chain.count > 1 || chain.base.is_view_of_buckets();
  if (is_stream && (is_view || chain.base.sharded == nullptr)) {
    statement made = judge_change_stream(chain.base, context);
    made.refused = refusal_of(chain, context);
    // The shards reject it, after mongos has asked them (mongo: aggregation/run_aggregate.cpp).
    if (made.refused == refusal::none && is_view) {
      made.refused = refusal::command_not_supported_on_view;
    }
    return made;
  }
  if (chain.count > 1 && context.depth == 0 && is_answered_for_view(source, context)) {
    statement made;  // the primary shard answers it
    made.refused = refusal_of(chain, context);
    return made;
  }
  if (chain.base.sharded != nullptr) {
    const refusal refused = refusal_of(chain, context);
    const auto fused = fused_pipelines(source.stages, context.memory.work());
    const auto parts = fused ? judge_fused(source, chain, *fused, context) : std::nullopt;
    statement made = parts ? *parts : judge_reading(source, chain, context);
    if (refused == refusal::none) return placed_rightly(made, source, chain, context);
    made.reject_first(refused);
    return made;
  }
  statement made = chain.base.answer();
  if (made.goes_to.routing != routing_class::unsharded) return made;
  made.refused = refusal_of(chain, context);
  if (made.refused == refusal::none && !context.stages_are_checked) {
    made.refused = refusal_of_stage_order(source.stages, context.memory.work());
  }
  return made;
}

/// Records the judgement for the namespace that is read, and for the underlying collection if
/// it is a view.
void note_touched(const pipeline_source& source, const view_chain& chain, const statement& made,
                  touch_log& touches) noexcept {
  touches.add(source.from, made);
  if (chain.count > 1) touches.add(chain.name, made);
}

/// Adds the shards of `joined`, if both are known.
void join_shards(target& all, const target& joined) noexcept {
  if (all.bounds == bounds_kind::none) {
    all.fanout = joined.fanout;
  } else if (all.fanout && joined.fanout) {
    all.fanout->unite(joined.fanout->words());
  } else {
    all.fanout.reset();
  }
  all.is_pinned = false;
  all.point = {};
}

}  // namespace

void add_foreign(statement& whole, const statement& foreign) noexcept {
  target& all = whole.goes_to;
  const target& joined = foreign.goes_to;
  if (joined.bounds != bounds_kind::none) join_shards(all, joined);
  if (whole.refused == refusal::none) whole.refused = foreign.refused;
  whole.is_unrouted |= foreign.is_unrouted;
  if (whole.lint == lint_kind::none) whole.lint = foreign.lint;
  // A scatter that a change of the command avoids is worse than one that nothing avoids.
  const bool is_avoidable = joined.routing == routing_class::scatter_gather &&
                            joined.why != reason::by_nature && all.why == reason::by_nature;
  const bool is_worse = all.routing == routing_class::not_routed
                            ? joined.routing > routing_class::unsharded
                            : joined.routing > all.routing || is_avoidable;
  all.bounds = std::max(all.bounds, joined.bounds);
  if (!is_worse) return;
  all.routing = joined.routing;
  all.why =
      joined.routing == routing_class::scatter_gather ? reason::foreign_scatter : joined.why;
  all.missing = joined.missing;
  all.hints = joined.hints;
  whole.judged = foreign.judged;
}

statement judge_output(wire::namespace_view name, const output_rules& rules,
                       const judging_context& context) noexcept {
  const resolved_namespace into = resolve(context.entries, name);
  statement made = into.answer();
  const bool updates = !rules.only_inserts && !context.is_explained;
  if (into.sharded != nullptr) {
    made = judge_written(*into.sharded, rules.on_fields, context.memory);
    if (into.series != nullptr && updates) made.reject(refusal::invalid_options);
  }
  context.touches.add(name, made);
  return made;
}

statement judge_replaced(wire::namespace_view name, refusal if_sharded,
                         const judging_context& context) noexcept {
  const resolved_namespace into = resolve(context.entries, name);
  const statement made =
      into.sharded == nullptr ? into.answer() : statement::refused_by(if_sharded, into.sharded);
  context.touches.add(name, made);
  return made;
}

statement judge_pipeline(const pipeline_source& source,
                         const judging_context& context) noexcept {
  const view_chain chain = chain_of(source, context);
  if (chain.too_deep) {
    context.touches.note_missing_entry();
    return statement::unknown(reason::too_deep);
  }
  statement made = judge_source(source, chain, context);
  note_touched(source, chain, made, context.touches);

  const bool simple = source.simple_collation.value_or(chain.simple_collation);
  judging_context inside = context;
  inside.stages_are_checked |= chain.base.answer_routing != routing_class::unknown;
  for (std::size_t i = 0; i < chain.count; ++i) {
    const bool is_joined_view = context.depth > 0 && i + 1 < chain.count;
    inside.skips_join_checks = context.skips_join_checks || is_joined_view;
    add_foreign_stages(made, {source.from.database, simple, inside, context.depth},
                       chain.from_base(i));
  }
  return made;
}

statement judge_without_collection(std::string_view database, document_view stages,
                                   const judging_context& context) noexcept {
  // The change stream of a database or of the cluster (mongo: cluster_aggregate.cpp).
  const bool is_stream =
      context.depth == 0 && opens_change_stream(stages, context.memory.work());
  statement made;
  made.goes_to.routing = routing_class::not_routed;
  if (is_stream) made = judge_change_stream({}, context);
  if (!context.stages_are_checked) {
    made.refused = refusal_of_stages(stages, context.entries.version(), context.in_transaction,
                                     context.memory.work());
    if (made.refused == refusal::none) {
      made.refused = refusal_of_stage_order(stages, context.memory.work());
    }
  }
  context.touches.add({database, {}}, made);
  judging_context inside = context;
  inside.stages_are_checked = true;
  add_foreign_stages(made, {database, true, inside, context.depth}, stages);
  return made;
}

}  // namespace scattergate::routing
