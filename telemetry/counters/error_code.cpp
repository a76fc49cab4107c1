#include "telemetry/counters/error_code.hpp"

#include <algorithm>
#include <array>

#include "wire/server_error.hpp"

namespace scattergate::telemetry {
namespace {

/// The errors that clients of a mongos commonly see, by code; the first entry stands for all
/// others.
constexpr auto counted = [] {
  using enum wire::server_errc;
  return std::to_array<wire::server_errc>({
      {},
      internal_error,
      bad_value,
      host_unreachable,
      host_not_found,
      failed_to_parse,
      user_not_found,
      unauthorized,
      type_mismatch,
      authentication_failed,
      illegal_operation,
      namespace_not_found,
      index_not_found,
      cursor_not_found,
      namespace_exists,
      max_time_ms_expired,
      command_not_found,
      shard_key_not_found,
      cannot_create_index,
      shard_not_found,
      invalid_options,
      invalid_namespace,
      index_options_conflict,
      index_key_specs_conflict,
      network_timeout,
      shutdown_in_progress,
      operation_failed,
      unsatisfiable_write_concern,
      write_conflict,
      command_not_supported,
      document_validation_failure,
      command_failed,
      failed_to_satisfy_read_preference,
      capped_position_lost,
      cursor_in_use,
      exceeded_memory_limit,
      command_not_supported_on_view,
      query_plan_killed,
      primary_stepped_down,
      network_interface_exceeded_time_limit,
      no_such_session,
      key_not_found,
      transaction_too_old,
      cursor_killed,
      not_implemented,
      snapshot_unavailable,
      no_such_transaction,
      transaction_committed,
      exceeded_time_limit,
      operation_not_supported_in_transaction,
      change_stream_history_lost,
      query_exceeded_memory_limit_no_disk_use_allowed,
      reauthentication_required,
      query_rejected_by_settings,
      ingress_request_rate_limit_exceeded,
      not_writable_primary,
      bson_object_too_large,
      duplicate_key,
      interrupted_at_shutdown,
      interrupted,
      interrupted_due_to_repl_state_change,
      stale_config,
      not_primary_no_secondary_ok,
  });
}();
static_assert(std::ranges::is_sorted(counted, std::ranges::less_equal{}));
static_assert(counted.size() <= max_error_places);

}  // namespace

std::size_t error_place(std::int32_t code) noexcept {
  const auto error = static_cast<wire::server_errc>(code);
  const auto found = std::ranges::lower_bound(counted, error);
  const bool is_counted = found != counted.end() && *found == error;
  return is_counted ? static_cast<std::size_t>(found - counted.begin()) : 0;
}

const std::size_t error_places = counted.size();

std::string_view error_name(std::size_t place) noexcept {
  return place == 0 ? "other" : wire::name_of(counted[place]);
}

}  // namespace scattergate::telemetry
