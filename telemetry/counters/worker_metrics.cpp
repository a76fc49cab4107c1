#include "telemetry/counters/worker_metrics.hpp"

#include <utility>

#include "text/utf8.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {

namespace {

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
