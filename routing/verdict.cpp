#include "routing/verdict.hpp"

#include "wire/label_table.hpp"
#include "wire/server_error.hpp"

namespace scattergate::routing {
namespace {

constexpr wire::label_table<routing_class> routing_labels{{
    {routing_class::not_routed, "not_routed"},
    {routing_class::unsharded, "unsharded"},
    {routing_class::single_shard, "single_shard"},
    {routing_class::multi_shard, "multi_shard"},
    {routing_class::unknown, "unknown"},
    {routing_class::scatter_gather, "scatter_gather"},
}};

constexpr wire::label_table<bounds_kind> bounds_labels{{
    {bounds_kind::none, ""},
    {bounds_kind::point, "point"},
    {bounds_kind::narrowed, "narrowed"},
    {bounds_kind::full, "full"},
}};

constexpr wire::label_table<reason> reason_labels{{
    {reason::none, ""},
    {reason::missing_key, "missing_key"},
    {reason::not_prefix, "not_prefix"},
    {reason::range_on_hashed, "range_on_hashed"},
    {reason::unbounded_or, "unbounded_or"},
    {reason::negation, "negation"},
    {reason::collation, "collation"},
    {reason::no_leading_match, "no_leading_match"},
    {reason::write_without_key, "write_without_key"},
    {reason::foreign_scatter, "foreign_scatter"},
    {reason::by_nature, "by_nature"},
    {reason::not_indexable, "not_indexable"},
    {reason::range, "range"},
    {reason::partial_key, "partial_key"},
    {reason::many_values, "many_values"},
    {reason::not_in_catalog, "not_in_catalog"},
    {reason::cursor_not_seen, "cursor_not_seen"},
    {reason::unreadable, "unreadable"},
    {reason::too_deep, "too_deep"},
    {reason::work_budget, "work_budget"},
    {reason::unknown_command, "unknown_command"},
    {reason::no_catalog, "no_catalog"},
    {reason::catalog_outdated, "catalog_outdated"},
    {reason::time_series, "time_series"},
    {reason::refused, "refused"},
}};

constexpr wire::label_table<lint_kind> lint_labels{{
    {lint_kind::none, ""},
    {lint_kind::unique_index_without_key, "unique_index_without_key"},
    {lint_kind::shard_key_update, "shard_key_update"},
    {lint_kind::ambiguous_id, "ambiguous_id"},
    {lint_kind::logical_shard_fanout, "logical_shard_fanout"},
}};

using wire::server_errc;

/// The name of the error in mongos's reply, for each refusal.
constexpr wire::label_table<refusal> refusal_labels{{
    {refusal::none, ""},
    {refusal::invalid_options, name_of(server_errc::invalid_options)},
    {refusal::shard_key_not_found, name_of(server_errc::shard_key_not_found)},
    {refusal::bad_value, name_of(server_errc::bad_value)},
    {refusal::failed_to_parse, name_of(server_errc::failed_to_parse)},
    {refusal::not_single_value_field, name_of(server_errc::not_single_value_field)},
    {refusal::unsupported_format, name_of(server_errc::unsupported_format)},
    {refusal::illegal_operation, name_of(server_errc::illegal_operation)},
    {refusal::cannot_create_index, name_of(server_errc::cannot_create_index)},
    {refusal::invalid_namespace, name_of(server_errc::invalid_namespace)},
    {refusal::invalid_id_field, name_of(server_errc::invalid_id_field)},
    {refusal::invalid_pipeline_operator, name_of(server_errc::invalid_pipeline_operator)},
    {refusal::expression_form, name_of(server_errc::expression_form)},
    {refusal::unrecognized_stage, name_of(server_errc::unrecognized_stage)},
    {refusal::stage_form, name_of(server_errc::stage_form)},
    {refusal::query_feature_not_allowed, name_of(server_errc::query_feature_not_allowed)},
    {refusal::operation_not_supported_in_transaction,
     name_of(server_errc::operation_not_supported_in_transaction)},
    {refusal::command_not_supported_on_view,
     name_of(server_errc::command_not_supported_on_view)},
    {refusal::output_not_by_id, name_of(server_errc::output_not_by_id)},
    {refusal::rename_of_sharded, name_of(server_errc::rename_of_sharded)},
    {refusal::rename_to_sharded, name_of(server_errc::rename_to_sharded)},
    {refusal::sharded_foreign, name_of(server_errc::sharded_foreign)},
    {refusal::foreign_cannot_be_sharded, "NamespaceCannotBeSharded"},
    {refusal::command_not_found, name_of(server_errc::command_not_found)},
    {refusal::command_not_supported, name_of(server_errc::command_not_supported)},
    {refusal::invalid_length, name_of(server_errc::invalid_length)},
    {refusal::no_measurement_time, name_of(server_errc::no_measurement_time)},
    {refusal::constants_without_pipeline, name_of(server_errc::constants_without_pipeline)},
    {refusal::unknown_field, name_of(server_errc::unknown_field)},
    {refusal::negative_value, name_of(server_errc::negative_value)},
    {refusal::invalid_pattern, name_of(server_errc::invalid_pattern)},
    {refusal::invalid_pattern_option, name_of(server_errc::invalid_pattern_option)},
    {refusal::near_not_allowed, name_of(server_errc::near_not_allowed)},
    {refusal::text_not_first, name_of(server_errc::text_not_first)},
    {refusal::undefined_variable, name_of(server_errc::undefined_variable)},
    {refusal::stage_not_first, name_of(server_errc::stage_not_first)},
    {refusal::near_not_first, name_of(server_errc::near_not_first)},
    {refusal::stage_not_last, name_of(server_errc::stage_not_last)},
    {refusal::stage_not_in_facet, name_of(server_errc::stage_not_in_facet)},
}};

}  // namespace

verdict verdict::verdict_in(const touch& one) const noexcept {
  verdict made = *this;
  made.database = one.database;
  made.collection = one.collection;
  made.judged = one.judged;
  made.missing = one.missing;
  made.hints = one.hints;
  made.deciding_statement = one.first_statement;
  made.routing = one.routing;
  made.bounds = one.bounds;
  made.why = one.why;
  made.lint = one.lint;
  made.change = one.change;
  made.refused = one.refused;
  if (one.is_unrouted) {
    made.fanout = unrouted_fanout;
    made.sent_to.reset();
    made.is_sent = false;
  }
  made.touches = {};
  return made;
}

bool verdict::is_certainly_refused() const noexcept {
  return refused != refusal::none && version_is_stated &&
         family_of(command) == command_family::routed &&
         (!collection.empty() || facts_of(command).is_write);
}

cause cause_of(const verdict& of) noexcept {
  if (!of.is_scatter_on_sharded()) {
    if (of.lint != lint_kind::none) return of.lint;
    if (of.is_certainly_refused()) return reason::refused;
  }
  const bool is_uncertain = of.why == reason::refused && !of.version_is_stated;
  return is_uncertain ? reason::none : of.why;
}

bool is_error(cause why) noexcept {
  return why == reason::refused || why == lint_kind::shard_key_update ||
         why == lint_kind::unique_index_without_key;
}

std::string_view label(routing_class routing) noexcept {
  return routing_labels[routing];
}

std::string_view label(bounds_kind bounds) noexcept {
  return bounds_labels[bounds];
}

std::string_view label(reason why) noexcept {
  return reason_labels[why];
}

std::string_view label(lint_kind lint) noexcept {
  return lint_labels[lint];
}

std::string_view label(refusal refused) noexcept {
  return refusal_labels[refused];
}

std::string_view label(cause why) noexcept {
  const std::size_t number = why.number();
  if (number < reason_count) return label(static_cast<reason>(number));
  return label(static_cast<lint_kind>(number - reason_count + 1));
}

}  // namespace scattergate::routing
