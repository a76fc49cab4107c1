#include "routing/statements/measurements.hpp"

#include <algorithm>
#include <utility>

#include "routing/bounds/filter_parts.hpp"
#include "routing/bounds/stage_reader.hpp"
#include "routing/pipeline/bucket_filter.hpp"
#include "routing/pipeline/pipeline_head.hpp"
#include "routing/stages/stage.hpp"
#include "routing/statements/update_document.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

namespace {

using wire::document_view;

/// The first version that deletes by more than the meta field (mongo:
/// featureFlagTimeseriesDeletesSupport).
constexpr server_version arbitrary_deletes{7, 0};
/// The first version whose deletes certainly use the time (mongo:
/// timeseries_update_delete_util.cpp, getBucketLevelPredicateForRouting;
/// collection_routing_info_targeter.cpp, 009489e, targetDelete still uses only the meta field).
/// Since which patch level of 7.0 that changed isn't known, so its deletes get the wider
/// answer.
constexpr server_version deletes_by_time{7, 1};
/// The first version whose findAndModify finds the buckets of a sharded time series. Earlier
/// versions send the command to the primary shard, which rejects it because a time series is a
/// view there (mongo: jstests/sharding/timeseries_find_and_modify_remove.js at 04bbde76e64e;
/// s/commands/cluster_find_and_modify_cmd.cpp at 009489e, run, without
/// getCollectionRoutingInfo).
constexpr server_version finds_one_of_series{7, 1};

/// The first version whose mongos itself rejects a findAndModify with an update on a time
/// series, because it targets it as an update (mongo: target_write_op.cpp at 0479b3d,
/// targetUpdate). In earlier versions the shard rejects it.
constexpr server_version finds_and_updates{9, 0};

/// The first version that moves a list on the meta field in an $or before the unpacking of
/// buckets as it is (mongo: bucket_spec.cpp, createPredicatesOnBucketLevelField).
constexpr server_version keeps_lists_of_meta{7, 0};

/// The error with which mongos itself rejects a write; `none` if it doesn't (mongo:
/// collection_routing_info_targeter.cpp, targetUpdate, targetDelete).
/// featureFlagTimeseriesUpdatesSupport is off in all releases.
refusal refusal_of(const filtered_write& write, server_version version) noexcept {
  if (write.is == filtered_write::kind::find_and_modify) {
    if (version < finds_one_of_series) return refusal::command_not_supported_on_view;
    const bool updates = write.update && version >= finds_and_updates;
    return write.has_sort || updates ? refusal::invalid_options : refusal::none;
  }
  if (write.is == filtered_write::kind::update) {
    return write.multi && !write.upsert ? refusal::none : refusal::invalid_options;
  }
  return write.multi || version >= arbitrary_deletes ? refusal::none
                                                     : refusal::illegal_operation;
}

/// Whether the write's filter may name only the meta field: the filter of an update, and before
/// 7.0 of a delete (mongo: timeseries_update_delete_util.cpp at e4932f4 and 07d77e5,
/// getBucketLevelPredicateForRouting).
bool names_meta_only(const filtered_write& write, server_version version) noexcept {
  return write.is == filtered_write::kind::update ||
         (write.is == filtered_write::kind::delete_ && version < arbitrary_deletes);
}

/// Whether the shards reject the write: an update of other fields than the meta field, or a
/// findAndModify with an update (mongo: timeseries_update_delete_util.cpp at e4932f4 and
/// 07d77e5, translateUpdate; timeseries_write_util.cpp, updateRequestCheckFunction).
bool is_refused_by_shards(const filtered_write& write, const time_series& series,
                          wire::work_budget& work) noexcept {
  if (!write.update) return false;
  if (write.is != filtered_write::kind::update) return true;
  const auto is_meta = [&](std::string_view path) {
    return !series.meta_field.empty() && path.substr(0, path.find('.')) == series.meta_field;
  };
  const auto operators = write.update->as_document();
  if (!operators || outline_of(*write.update, work).form != update_form::modifiers) return true;
  wire::metered_reader reader{*operators, work};
  for (wire::element one; reader.next(one);) {
    wire::metered_reader paths{one.as_container().value_or(document_view{}), work};
    for (wire::element path; paths.next(path);) {
      const bool is_renamed = one.key() == "$rename";
      if (!is_meta(path.key()) || (is_renamed && !is_meta(path.as_string()))) return true;
    }
  }
  return false;
}

/// Whether the key of a bucket can't be computed because a key field is a document: mongos
/// first sorts the fields of a document in the meta field (mongo:
/// timeseries::metadata::normalize).
bool has_document_in_key(document_view bucket, const collection& on, scratch& memory) noexcept {
  return std::ranges::any_of(on.key, [&](const key_field& field) {
    const auto value = find_path(bucket, field.path, memory.work());
    return value && value->is_document();
  });
}

/// Whether mongos may derive other bounds from an $or than this code. Of several $ors, mongos
/// plans by the first that bounds the key's first field, possibly through an $expr next to it
/// (mongo: plan_enumerator.cpp at 03fb28b, enumerateOneIndex, outsidePreds), which isn't
/// translated here. An empty list in an $or becomes an $or without branches, which has no
/// bounds (bucket_spec.cpp, createPredicatesOnBucketLevelField).
bool has_doubtful_or(const filter_walk& whole) noexcept {
  const filter_facts& facts = whole.facts();
  return facts.has_alternatives && (facts.has_expression || facts.has_empty_list);
}

/// Whether mongos may ignore an equality on the whole meta field, because an $expr requires a
/// part of it to be in a list of one value: mongos rewrites this to an equality, too, and the
/// two conflict (mongo: expression_optimizer.cpp at 1c287af, exprOptimizer and inOptimizer;
/// update/path_support.cpp, checkEqualityConflicts).
bool may_conflict_with_meta(const filter_walk& whole) noexcept {
  return whole.facts().has_single_value_list;
}

}  // namespace

bool derives_time_bounds(const catalog& entries) noexcept {
  // Earlier versions do this only for some conditions.
  return entries.version() >= server_version{6, 0};
}

bool add_measurement_filter(filter_walk& walk, document_view filter, const time_series& series,
                            bool by_time, filter_fault& fault, scratch& memory) noexcept {
  // Conditions that aren't translated may have faults, too.
  filter_rules as_written = walk.rules();
  as_written.is_as_written = true;
  filter_walk whole{walk.target(), as_written, memory};
  (void)whole.add(filter);
  // If mongos knows that a condition matches nothing, it leaves the condition after the
  // unpacking of buckets, where it gives no bounds (mongo:
  // pipeline/document_source_internal_unpack_bucket.cpp, doOptimizeAt, and expression_algo.cpp,
  // hasOnlyRenameableMatchExpressionChildren).
  (void)whole.finish();
  if (whole.fault() != filter_fault::none) {
    fault = whole.fault();
    return false;
  }
  if (whole.may_match_nothing() || whole.may_lose_branches() ||
      whole.facts().may_negate_single_value_list || has_doubtful_or(whole)) {
    walk.note_may_match_nothing();
  }
  const bucket_filter_rules rules{
      .series = series,
      .with_time = by_time,
      .with_lists_in_or = walk.rules().version >= keeps_lists_of_meta,
      .with_whole_meta = !may_conflict_with_meta(whole)};
  const auto made = bucket_filter(filter, rules, memory);
  if (!made || walk.add(*made)) return true;  // if memory runs out, the filter is omitted
  fault = walk.fault();
  return false;
}

statement judge(const filtered_write& write, const resolved_namespace& on,
                const judging_context& context) noexcept {
  if (on.series == nullptr) return judge(write, *on.sharded, context);
  const refusal refused = refusal_of(write, context.entries.version());
  if (refused != refusal::none) {
    return statement::refused_widely(refused, *on.sharded, context.memory);
  }
  const bool is_renamed =
      names_meta_only(write, context.entries.version()) && !on.series->meta_field.empty();
  const meta_names named =
      is_renamed ? meta_names_in(write.filter, on.series->meta_field, context.memory.work())
                 : meta_names::only;
  if (named == meta_names::others) {
    return statement::refused_widely(refusal::invalid_options, *on.sharded, context.memory);
  }
  filter_rules rules_as_written{true, context.entries.version(), write.let};
  rules_as_written.is_as_written = true;
  filter_walk whole{*on.sharded, rules_as_written, context.memory};
  (void)whole.add(write.filter);
  // The meta field may have the same name as a field of buckets.
  const bool contradicts = std::ranges::any_of(whole.finish().fields, &interval_set::is_empty);
  if (whole.fault() != filter_fault::none) {
    return statement::of(whole.fault(), *on.sharded, context.memory);
  }
  // If mongos knows that a condition matches nothing, it may compute no bounds.
  const bool is_doubtful = contradicts || whole.may_match_nothing() ||
                           whole.facts().may_negate_single_value_list ||
                           has_doubtful_or(whole) || named == meta_names::in_values;
  const auto judged_on_buckets = [&](bool by_time) {
    const bucket_filter_rules rules{.series = *on.series,
                                    .with_time = by_time,
                                    .is_planned = false,
                                    .with_whole_meta = !may_conflict_with_meta(whole)};
    const auto made = bucket_filter(write.filter, rules, context.memory);
    filtered_write on_buckets = write;
    on_buckets.filter = made && !is_doubtful ? *made : document_view{};
    statement made_on_buckets = judge(on_buckets, *on.sharded, context);
    if (is_refused_by_shards(write, *on.series, context.memory.work())) {
      made_on_buckets.refuse_on_shards(refusal::invalid_options);
    }
    return made_on_buckets;
  };
  // A findAndModify always uses the time (mongo: cluster_find_and_modify_cmd.cpp,
  // getQueryForShardKey).
  const bool may_be_by_time = write.is != filtered_write::kind::update &&
                              context.entries.version() >= arbitrary_deletes;
  const bool by_time = may_be_by_time && context.entries.version() >= deletes_by_time;
  statement made = judged_on_buckets(by_time);
  if (by_time || !may_be_by_time) return made;
  // A translated list without times gives no bounds.
  const statement timed = judged_on_buckets(true);
  const bool is_routed = timed.refused == refusal::none;
  const refusal certain = is_routed ? refusal::none : made.refused;
  if (timed.goes_to.bounds == bounds_kind::full) made = timed;
  made.refused = certain;
  return made;
}

statement judge_insert(document_view document, const resolved_namespace& on,
                       const judging_context& context) noexcept {
  if (on.series == nullptr) return judge_insert(document, *on.sharded, context);
  const bucket_start start = bucket_start_of(document, *on.series, context.memory);
  if (!start.has_time) {
    return statement::refused_by(refusal::no_measurement_time, on.sharded);
  }
  if (start.document && !has_document_in_key(*start.document, *on.sharded, context.memory)) {
    return judge_insert(*start.document, *on.sharded, context);
  }
  target somewhere;
  somewhere.routing = routing_class::single_shard;
  somewhere.bounds = bounds_kind::point;
  return statement::of(somewhere, *on.sharded);
}

using wire::element;

namespace {

/// Visits the filters of the leading $match stages, which mongos merges and applies to
/// everything that is read. Sets `first` to the first stage. False if `visit` returns false.
template <typename Visit>
bool visit_leading_filters(const pipeline_source& source, const view_chain& chain,
                           element& first, wire::work_budget& work, Visit visit) noexcept {
  bool is_first = true;
  for (std::size_t i = 0; i < chain.count; ++i) {
    if (i + 1 == chain.count && !source.varying_path.empty()) return true;
    if (i + 1 == chain.count && source.filter) return visit(*source.filter);
    stage_reader stages{chain.from_base(i), work, units_of_stage};
    for (element stage; stages.next(stage);) {
      if (std::exchange(is_first, false)) first = stage;
      if (stage_of(stage.key()).passes != stage_pass::matches) return true;
      if (!visit(stage)) return false;
    }
  }
  return source.rest || !source.last_match || visit(*source.last_match);
}

/// Passes all stages to `head`, those of views first. `only_later`: without the leading $match
/// stages.
void pass_stages(pipeline_head& head, const pipeline_source& source, const view_chain& chain,
                 bool only_later, wire::work_budget& work) noexcept {
  bool is_leading = true;
  for (std::size_t i = 0; i < chain.count; ++i) {
    const bool is_last = i + 1 == chain.count;
    if (is_last && source.filter && !(only_later && is_leading)) {
      (void)head.pass_match(*source.filter);
    }
    stage_reader stages{chain.from_base(i), work, units_of_stage};
    for (element stage; stages.next(stage);) {
      is_leading = is_leading && stage_of(stage.key()).passes == stage_pass::matches;
      if (only_later && is_leading) continue;
      if (!head.pass(stage)) return;
    }
  }
}

/// Whether conditions that follow other stages may change how mongos plans the leading ones:
/// together they may match nothing, or mongos may plan by an $or among them.
bool may_change_form(const pipeline_source& source, const view_chain& chain,
                     const filter_walk& walk, const judging_context& context) noexcept {
  scratch& memory = context.memory;
  const std::size_t mark = memory.mark();
  filter_walk later{walk.target(), walk.rules(), memory};
  pipeline_head behind{later, memory};
  pass_stages(behind, source, chain, true, memory.work());
  bool may_change = false;
  if (behind.has_filter() || later.may_match_nothing()) {
    filter_walk all{walk.target(), walk.rules(), memory};
    pipeline_head head{all, memory};
    pass_stages(head, source, chain, false, memory.work());
    (void)later.finish();
    (void)all.finish();
    may_change = all.may_match_nothing() || later.may_match_nothing() ||
                 later.facts().has_alternatives || later.facts().has_empty_list;
  }
  memory.rewind(mark);
  return may_change;
}

}  // namespace

statement judge_measurements(const pipeline_source& source, const view_chain& chain,
                             filter_walk& walk, const judging_context& context) noexcept {
  element first;
  filter_fault fault = filter_fault::none;
  filter_walk together{walk.target(), walk.rules(), context.memory};
  bool has_filter = false;
  const bool sound = visit_leading_filters(
      source, chain, first, context.memory.work(), [&](const element& matched) {
        const auto filter = matched.as_document();
        has_filter |= filter.has_value();
        return !filter || (add_measurement_filter(walk, *filter, *chain.base.series,
                                                  derives_time_bounds(context.entries), fault,
                                                  context.memory) &&
                           together.add(*filter));
      });
  if (fault == filter_fault::none) fault = together.fault();
  if (!sound) return statement::of(fault, walk.target(), context.memory);
  (void)together.finish();
  if (together.may_match_nothing() || may_change_form(source, chain, walk, context)) {
    walk.note_may_match_nothing();
  }
  statement made = statement::of(walk, target_of(walk, context.memory));
  if (stage_of(first.key()).asks_by_nature()) {
    made.goes_to.why = reason::by_nature;
  } else if (made.goes_to.bounds == bounds_kind::full && !has_filter) {
    made.goes_to.why = reason::no_leading_match;
  }
  return made;
}

}  // namespace scattergate::routing
