#include "routing/statements/statement.hpp"

#include <algorithm>

#include "routing/catalog/catalog_rules.hpp"

namespace scattergate::routing {
namespace {

bool has_id_in_key(const collection& on) noexcept {
  return std::ranges::any_of(on.key, [](const key_field& field) {
    return relate("_id", field.path) != path_relation::unrelated;
  });
}

/// The error with which mongos rejects a filter that has this fault. REQUIRES:
/// is_rejection(fault).
refusal refusal_of(filter_fault fault) noexcept {
  switch (fault) {
    case filter_fault::bad_expression:
      return refusal::invalid_pipeline_operator;
    case filter_fault::malformed_expression:
      return refusal::expression_form;
    case filter_fault::unbound_variable:
      return refusal::undefined_variable;
    case filter_fault::bad_pattern:
      return refusal::invalid_pattern;
    case filter_fault::bad_pattern_option:
      return refusal::invalid_pattern_option;
    case filter_fault::near_in_stage:
      return refusal::near_not_allowed;
    default:
      return refusal::bad_value;
  }
}

/// A statement whose filter can't be read. REQUIRES: not is_rejection(fault).
statement unjudged_by(filter_fault fault, const collection& judged) noexcept {
  statement made = statement::unknown(fault == filter_fault::too_deep ? reason::too_deep
                                                                      : reason::unreadable);
  made.judged = &judged;
  return made;
}

}  // namespace

statement statement::unknown(reason why) noexcept {
  statement made;
  made.goes_to.routing = routing_class::unknown;
  made.goes_to.why = why;
  return made;
}

statement statement::refused_by(refusal error, const collection* judged) noexcept {
  statement made = unknown(reason::refused);
  made.reject(error);
  made.judged = judged;
  return made;
}

statement statement::refused_widely(refusal error, const collection& judged,
                                    scratch& memory) noexcept {
  filter_walk without_conditions{judged, filter_rules{}, memory};
  statement made = of(target_of(without_conditions, memory), judged);
  made.reject(error);
  return made;
}

statement statement::of(filter_fault fault, const collection& judged,
                        scratch& memory) noexcept {
  if (is_rejection(fault)) return refused_widely(refusal_of(fault), judged, memory);
  return unjudged_by(fault, judged);
}

statement statement::of(const target& found, const collection& judged) noexcept {
  statement made;
  made.goes_to = found;
  made.judged = &judged;
  return made;
}

statement statement::of(const filter_walk& walk, const target& found,
                        filter_fault fault) noexcept {
  statement made = of(found, walk.target());
  if (fault == filter_fault::none) return made;
  if (!is_rejection(fault)) return unjudged_by(fault, walk.target());
  made.reject(refusal_of(fault));
  return made;
}

bool resolved_namespace::is_view_of_buckets() const noexcept {
  return series != nullptr && entry->name.starts_with(buckets_prefix);
}

statement resolved_namespace::answer() const noexcept {
  statement made;
  made.goes_to.routing = answer_routing;
  made.goes_to.why = answer_reason;
  made.judged = entry;
  return made;
}

statement resolved_namespace::answer_to_write() const noexcept {
  if (entry == nullptr || !entry->is_view()) return answer();
  return statement::refused_by(refusal::command_not_supported_on_view, entry);
}

namespace {

/// Resolves a time series to its measurements or to its buckets, depending on the name that was
/// used. From 9.0 on, the collection of buckets may have the name of the series (mongo:
/// "viewless").
resolved_namespace resolve_series(const collection& on, bool by_measurements) noexcept {
  resolved_namespace found{&on, nullptr, routing_class::unknown, reason::time_series};
  if (on.is_unreadable) found.answer_reason = reason::not_in_catalog;
  if (!on.series || on.is_unreadable) return found;
  found = {&on, on.is_sharded() ? &on : nullptr};
  if (by_measurements || !on.name.starts_with(buckets_prefix)) found.series = &*on.series;
  return found;
}

}  // namespace

resolved_namespace resolve(const catalog& entries, wire::namespace_view name) noexcept {
  const auto unknown = [](const collection* entry, reason why) {
    return resolved_namespace{entry, nullptr, routing_class::unknown, why};
  };
  if (entries.is_absent()) return unknown(nullptr, reason::no_catalog);
  const collection* entry = entries.find(name.database, name.collection);
  const collection* buckets = entries.buckets_of(name.database, name.collection);
  if (buckets != nullptr || (entry != nullptr && entry->is_time_series)) {
    return resolve_series(buckets != nullptr ? *buckets : *entry, buckets != nullptr);
  }
  if (entry == nullptr) {
    if (!name.is_possible()) return unknown(nullptr, reason::unreadable);
    if (entries.unlisted() == unlisted_policy::unsharded) return {};
    return unknown(nullptr, reason::not_in_catalog);
  }
  if (entry->is_unreadable) return unknown(entry, reason::not_in_catalog);
  return {entry, entry->is_sharded() ? entry : nullptr};
}

resolved_namespace resolve(const judging_context& context, wire::namespace_view name) noexcept {
  resolved_namespace found = resolve(context.entries, name);
  if (context.raw_data) found.series = nullptr;
  return found;
}

std::optional<shard_set> every_shard(const catalog& entries, scratch& memory) noexcept {
  const auto words = memory.allocate<std::uint64_t>(entries.shard_words());
  if (words.empty()) return std::nullopt;
  shard_set everywhere{words};
  everywhere.clear();
  for (std::size_t i = 0; i < entries.shards().size(); ++i) everywhere.insert(i);
  return everywhere;
}

lint_kind lint_of(const filter_walk& walk, const target& found) noexcept {
  const filter_facts& facts = walk.facts();
  if (walk.fault() != filter_fault::none) return lint_kind::none;
  if (found.bounds == bounds_kind::full && facts.id && facts.other_predicates == 0 &&
      !has_id_in_key(walk.target())) {
    return lint_kind::ambiguous_id;
  }
  if (facts.has_logical_shards && found.routing == routing_class::multi_shard) {
    return lint_kind::logical_shard_fanout;
  }
  return lint_kind::none;
}

}  // namespace scattergate::routing
