#include "telemetry/audit/finding.hpp"

#include "telemetry/counters/namespace_map.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {

std::size_t finding_details::footprint_bytes() const noexcept {
  std::size_t bytes = sizeof *this;
  for (const std::string* text :
       {&database, &collection, &rule, &rule_why, &shard_key_json, &shape_json, &suggestion}) {
    bytes += text->capacity();
  }
  for (const auto* list : {&missing, &lints}) {
    for (const std::string& text : *list) bytes += sizeof text + text.capacity();
  }
  bytes += 2 * fanout.capacity() * sizeof fanout.front();  // the table has as many
  return bytes;
}

namespace {

/// What a finding takes beside its details: a place in a worker's table and one in the ledger,
/// in the index of each, and what malloc takes to keep them.
constexpr std::size_t places_bytes = 1024;

constexpr wire::label_table<finding_scope> scope_labels{{
    {finding_scope::own, ""},
    {finding_scope::other, other_label},
    {finding_scope::failed, failed_label},
}};

}  // namespace

std::shared_ptr<const finding_details> keep_details(finding_details details,
                                                    memory_budget& memory) {
  const std::size_t bytes = details.footprint_bytes() + places_bytes;
  auto kept = std::make_unique<const finding_details>(std::move(details));
  // What passes needs room too: findings leave a quarter of it.
  if (!memory.take(bytes, memory.limit() / 4)) return nullptr;
  const auto give_back = [&memory, bytes](const finding_details* gone) {
    delete gone;
    memory.give_back(bytes);
  };
  return {kept.release(), give_back};
}

finding_key key_of(const finding_details& details) noexcept {
  return {.database = details.database,
          .collection = details.collection,
          .command = details.command,
          .shape_hash = details.shape_hash,
          .why = details.why,
          .action = details.action,
          .rule = details.rule};
}

std::string_view label(finding_scope scope) noexcept {
  return scope_labels[scope];
}

std::shared_ptr<const finding_details> shared_finding(finding_scope scope) {
  auto details = std::make_shared<finding_details>();
  details->database = label(scope);
  details->routing = routing::routing_class::unknown;
  details->scope = scope;
  return details;
}

std::optional<std::vector<std::string>> fanout_of(const finding_delta& delta) {
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

}  // namespace scattergate::telemetry
