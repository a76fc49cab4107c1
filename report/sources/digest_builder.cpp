#include "report/sources/digest_builder.hpp"

#include <algorithm>

#include "routing/classify.hpp"
#include "routing/shape/shape.hpp"
#include "routing/words/describe.hpp"
#include "wire/command.hpp"

namespace scattergate::report {
namespace {

/// How many shards the command is predicted to reach; nothing where that isn't known.
std::optional<std::uint32_t> predicted_shards(const routing::verdict& verdict) {
  const auto& asked = verdict.sent_to ? verdict.sent_to : verdict.fanout;
  if (!asked) return std::nullopt;
  return static_cast<std::uint32_t>(asked->size());
}

/// What stands for the shape of a batch whose statements the source doesn't have: mongos logs
/// no document sequences.
constexpr std::string_view not_logged = R"({"statements":"not logged"})";

bool lacks_statements(const wire::command& command) {
  const auto lacks = [&](std::string_view name) {
    return command.sequences.size_bytes() == 0 && !wire::find_field(command.body, name);
  };
  switch (routing::kind_of(command.name)) {
    case routing::command_kind::insert:
      return lacks("documents");
    case routing::command_kind::update:
      return lacks("updates");
    case routing::command_kind::delete_:
      return lacks("deletes");
    case routing::command_kind::bulk_write:
      return lacks("ops");
    default:
      return false;
  }
}

std::string name_of(const wire::command& command) {
  const auto kind = routing::kind_of(command.name);
  return std::string{kind == routing::command_kind::other ? command.name
                                                          : routing::name_of(kind)};
}

digest::description describe(const routing::verdict& verdict, std::string shape_json) {
  digest::description what;
  what.routing = verdict.routing;
  what.bounds = verdict.bounds;
  what.why = verdict.why == routing::reason::none ? routing::cause{verdict.lint}
                                                  : routing::cause{verdict.why};
  what.shape_json = std::move(shape_json);
  if (verdict.judged != nullptr && !verdict.judged->key.empty()) {
    what.shard_key_json = routing::shard_key_json(*verdict.judged);
  }
  what.missing = routing::missing_fields(verdict);
  what.lints = routing::lints(verdict);
  what.suggestion = routing::suggestion(verdict);
  return what;
}

}  // namespace

digest_builder::digest_builder(std::shared_ptr<const routing::catalog> by, digest::table& into)
    : catalog_(std::move(by)), table_(into) {}

void digest_builder::on_skipped(skip_reason why) {
  ++tally_.skipped[static_cast<std::size_t>(why)];
}

void digest_builder::on_row(const digest::row& judged) {
  ++tally_.observations;
  table_.add(judged);
}

void digest_builder::on_command(const observation& seen) {
  const auto body = wire::document_view::from(seen.command);
  if (!body) return on_skipped(skip_reason::unreadable);
  auto command = wire::command_of(*body);
  if (!command) return on_skipped(skip_reason::unreadable);
  ++tally_.observations;
  const std::string name = name_of(*command);
  if (!seen.origin.empty()) {  // a getMore goes where its cursor was opened
    const auto opener = wire::document_view::from(seen.origin);
    const auto opened_by = opener ? wire::command_of(*opener) : command;
    if (opened_by) command = opened_by;
  }
  count(seen, *command, name);
}

void digest_builder::count(const observation& seen, const wire::command& judged,
                           const std::string& name) {
  const routing::verdict verdict = routing::classify(judged, *catalog_, verdict_memory_);
  const auto shape = routing::hash_shape(judged, shape_memory_);
  const auto [row, is_new] =
      table_.row_of({verdict.database, verdict.collection, name, shape.hash});
  if (is_new || digest::is_worse(verdict.routing, row.what.routing)) {
    row.what = describe(
        verdict, lacks_statements(judged) ? std::string{not_logged} : std::string{shape.text});
  }
  if (row.query_shape_hash.empty()) row.query_shape_hash = seen.query_shape_hash;
  digest::sighting sighting;
  sighting.errors = seen.is_error ? 1 : 0;
  sighting.fanout = seen.shards ? seen.shards : predicted_shards(verdict);
  sighting.duration = seen.duration;
  sighting.first = sighting.last = seen.at;
  table_.count(row, sighting, verdict.routing);
  digest::caller who = seen.who;
  who.count = 1;
  row.who.add(who);
  // What else a pipeline touches, a shard asks for: mongos's number is of its own collection.
  const bool is_comparable = seen.shards && !seen.is_error && verdict.touches.empty() &&
                             verdict.routing != routing::routing_class::unknown;
  if (is_comparable) compare(verdict, name, shape.hash, *seen.shards);
}

void digest_builder::compare(const routing::verdict& verdict, const std::string& name,
                             std::uint64_t shape_hash, std::uint32_t actual) {
  const auto predicted = predicted_shards(verdict);
  if (!predicted) return;
  ++truth_.compared;
  if (*predicted == actual) {
    ++truth_.agreed;
    return;
  }
  const auto known = std::find_if(truth_.disagreements.begin(), truth_.disagreements.end(),
                                  [&](const disagreement& one) {
                                    return one.shape_hash == shape_hash &&
                                           one.predicted == *predicted && one.actual == actual;
                                  });
  if (known != truth_.disagreements.end()) {
    ++known->count;
  } else if (truth_.disagreements.size() < truth::most_disagreements) {
    truth_.disagreements.push_back({verdict.ns().full_name(), name, shape_hash,
                                    std::string{label(verdict.routing)}, *predicted, actual,
                                    1});
  } else {
    ++truth_.further;
  }
}

}  // namespace scattergate::report
