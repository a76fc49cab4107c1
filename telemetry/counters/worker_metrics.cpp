#include "telemetry/counters/worker_metrics.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "text/utf8.hpp"
#include "wire/label_table.hpp"
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

constexpr wire::label_table<close_reason> close_labels{{
    {close_reason::client_closed, "client_closed"},
    {close_reason::client_error, "client_error"},
    {close_reason::upstream_unreachable, "upstream_unreachable"},
    {close_reason::out_of_resources, "out_of_resources"},
    {close_reason::upstream_closed, "upstream_closed"},
    {close_reason::upstream_left, "upstream_left"},
    {close_reason::wire_error, "wire_error"},
    {close_reason::tls_failed, "tls_failed"},
    {close_reason::limit, "limit"},
    {close_reason::first_message, "first_message"},
    {close_reason::message, "message"},
    {close_reason::idle, "idle"},
    {close_reason::x509, "x509"},
    {close_reason::no_memory, "no_memory"},
    {close_reason::drained, "drained"},
}};

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

std::string_view label(close_reason reason) noexcept {
  return close_labels[reason];
}

worker_metrics::worker_metrics(namespace_registry& registry, rule_registry& rules)
    : registry_(registry),
      rules_(rules),
      under_way_(std::make_unique<std::uint32_t[]>(registry.capacity())),
      blocks_(std::make_unique<lazy_block<namespace_cells>[]>(registry.capacity())),
      rule_blocks_(std::make_unique<lazy_block<rule_cells>[]>(rule_registry::capacity)) {
  registry_.add_worker();
  learn_new_namespaces();
}

worker_metrics::~worker_metrics() = default;

std::optional<namespace_id> worker_metrics::known(std::string_view database,
                                                  std::string_view collection) {
  if (const auto id = look_up(database, collection)) return id;
  if (registry_.version() == known_version_) return std::nullopt;
  learn_new_namespaces();
  return look_up(database, collection);
}

namespace_id worker_metrics::admit(std::string_view database, std::string_view collection) {
  if (const auto id = known(database, collection)) return *id;
  if (registry_.size() == registry_.capacity()) {
    namespace_overflow_.add();
    registry_.note_refused();
    return other_namespace;
  }
  const namespace_id id = registry_.admit(database, collection);
  learn_new_namespaces();
  return id;
}

std::optional<namespace_id> worker_metrics::admit_provisional(std::string_view database,
                                                              std::string_view collection) {
  if (const auto id = known(database, collection)) return id;
  if (registry_.size() == registry_.capacity()) return std::nullopt;
  const auto id = registry_.admit_provisional(database, collection);
  if (id) learn_new_namespaces();
  return id;
}

std::optional<namespace_id> worker_metrics::look_up(std::string_view database,
                                                    std::string_view collection) const {
  auto found = ids_.find(wire::namespace_view{database, collection});
  if (found == ids_.end()) {
    // The registry's labels are made by to_plain(), so look up the name in that form.
    constexpr std::size_t longest = namespace_registry::max_name_bytes;
    if (database.size() > longest || collection.size() > longest) return std::nullopt;
    if (text::is_plain(database) && text::is_plain(collection)) return std::nullopt;
    found = ids_.find(namespace_labels{text::to_plain(database), text::to_plain(collection)});
    if (found == ids_.end()) return std::nullopt;
  }
  return found->second;
}

void worker_metrics::learn_new_namespaces() {
  for (auto& [id, pair] : registry_.added_since(known_version_))
    ids_.emplace(std::move(pair), id);
}

bool worker_metrics::release_leaving() {
  if (registry_.version() == released_at_) return false;
  bool has_released = false;
  registry_.release_since(released_at_, [&](namespace_id id, const namespace_labels& pair) {
    if (under_way_[id] != 0) return false;
    ids_.erase(pair);
    has_released = true;
    return true;
  });
  return has_released;
}

std::uint64_t worker_metrics::counted(namespace_id ns) const noexcept {
  const namespace_cells* const block = blocks_[ns].get();
  if (block == nullptr) return 0;
  std::uint64_t sum = 0;
  merged_marks<routing::command_kind_count> kinds;
  kinds.add(block->commands);
  kinds.for_each([&](std::size_t kind) {
    const command_cells* const cells = block->by_command[kind].get();
    if (cells == nullptr) return;  // another thread is opening it
    for (const cell& each : cells->commands) sum += each.get();
    for (const cell& each : cells->statements) sum += each.get();
    const finding_cells* const findings = cells->findings.get();
    if (findings == nullptr) return;
    for (const auto& actions : findings->by_cause)
      for (const cell& each : actions) sum += each.get();
  });
  return sum;
}

}  // namespace scattergate::telemetry
