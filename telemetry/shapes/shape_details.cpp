#include "telemetry/shapes/shape_details.hpp"

#include <utility>

#include "routing/command_kind.hpp"
#include "telemetry/counters/namespace_registry.hpp"
#include "wire/label_table.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::telemetry {
namespace {

/// The memory of a shape beyond its details: its places in a worker's table and in the ledger
/// (incoming and being written), each with its distribution of durations; the index entries;
/// and malloc's overhead. live_digest accounts for the digest's row.
constexpr std::size_t places_bytes = 3 * sizeof(digest::row) + 1024;

/// Findings leave this fraction of the budget free for traffic: 1/left_by_findings. Other
/// shapes leave 1/left_by_others, so that room for findings remains.
constexpr std::size_t left_by_findings = 4;
constexpr std::size_t left_by_others = 2;

constexpr wire::label_table<shape_scope> scope_labels{{
    {shape_scope::own, ""},
    {shape_scope::other, other_label},
    {shape_scope::failed, failed_label},
    {shape_scope::rowless, ""},
}};

}  // namespace

std::size_t shape_details::footprint_bytes() const noexcept {
  std::size_t bytes = sizeof *this;
  for (const std::string* text : {&database, &collection, &query_shape_hash, &rule, &rule_why,
                                  &what.shard_key_json, &what.shape_json, &what.suggestion}) {
    bytes += text->capacity();
  }
  for (const auto* list : {&what.missing, &what.lints}) {
    for (const std::string& text : *list) bytes += sizeof text + text.capacity();
  }
  bytes += 2 * fanout.capacity() * sizeof fanout.front();  // the table has one of the same size
  return bytes;
}

digest::row_key shape_details::row_key() const noexcept {
  return {database, collection, routing::name_of(command), shape_hash};
}

std::shared_ptr<const shape_details> keep_details(shape_details details,
                                                  memory_budget& memory) {
  const std::size_t bytes = details.footprint_bytes() + places_bytes;
  const std::size_t left =
      memory.limit() / (details.is_finding() ? left_by_findings : left_by_others);
  auto kept = std::make_unique<const shape_details>(std::move(details));
  if (!memory.reserve(bytes, left)) return nullptr;
  const auto give_back = [&memory, bytes](const shape_details* gone) {
    delete gone;
    memory.release(bytes);
  };
  return {kept.release(), give_back};
}

shape_key key_of(const shape_details& details) noexcept {
  shape_key key{.database = details.database,
                .collection = details.collection,
                .command = details.command,
                .shape_hash = details.shape_hash,
                .action = details.action,
                .why = {},
                .rule = {}};
  if (details.is_finding()) {
    key.why = details.what.why;
    key.rule = details.rule;
  }
  return key;
}

std::string_view label(shape_scope scope) noexcept {
  return scope_labels[scope];
}

std::shared_ptr<const shape_details> shared_details(shape_scope scope) {
  auto details = std::make_shared<shape_details>();
  details->database = label(scope);
  details->what.routing = routing::routing_class::unknown;
  details->scope = scope;
  if (scope != shape_scope::rowless) details->action = finding_action::observed;
  return details;
}

std::uint64_t known_as(const caller_view& caller) noexcept {
  std::uint64_t hash = 0;
  for (const std::string_view text :
       {caller.app_name, caller.driver, caller.user, caller.remote, caller.comment}) {
    hash = wire::seeded_hash(text, hash);
  }
  return hash | 1U;
}

std::optional<std::vector<std::string>> fanout_of(const shape_delta& delta) {
  const shard_ids& ids = delta.details->shards;
  if (delta.fanout.empty() || ids == nullptr) return std::nullopt;
  constexpr std::size_t bits_per_word = 64;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ids->size() && i / bits_per_word < delta.fanout.size(); ++i) {
    const bool is_reached = (delta.fanout[i / bits_per_word] >> (i % bits_per_word) & 1U) != 0;
    if (is_reached) names.push_back((*ids)[i]);
  }
  return names;
}

std::optional<std::uint32_t> shape_index::find(const shape_key& key) const noexcept {
  const auto found = positions_.find(key);
  if (found == positions_.end()) return std::nullopt;
  return found->second;
}

void shape_index::insert(const shape_details& details, std::uint32_t position) {
  positions_.emplace(key_of(details), position);
}

void shape_index::replace(const shape_details& old, const shape_details& details) {
  auto node = positions_.extract(key_of(old));
  if (node.empty()) return;
  node.key() = key_of(details);
  positions_.insert(std::move(node));
}

void shape_index::move(const shape_details& details, std::uint32_t position) {
  const auto found = positions_.find(key_of(details));
  if (found != positions_.end()) found->second = position;
}

void shape_index::erase(const shape_details& details) {
  positions_.erase(key_of(details));
}

std::size_t shape_index::hash::operator()(const shape_key& key) const noexcept {
  // The shape's hash already includes the namespace and the command.
  const std::uint64_t action = key.action ? 1 + static_cast<std::uint64_t>(*key.action) : 0;
  const std::uint64_t rest = std::uint64_t{key.why.number()} << 8U | action;
  return wire::seeded_hash(key.rule, wire::seeded_hash(key.shape_hash, rest));
}

bool shape_index::equal::operator()(const shape_key& a, const shape_key& b) const noexcept {
  return a.shape_hash == b.shape_hash && a.why == b.why && a.action == b.action &&
         a.command == b.command && a.collection == b.collection && a.database == b.database &&
         a.rule == b.rule;
}

}  // namespace scattergate::telemetry
