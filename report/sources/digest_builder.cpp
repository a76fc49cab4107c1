#include "report/sources/digest_builder.hpp"

#include <algorithm>

#include "digest/judge.hpp"
#include "routing/catalog/patterns.hpp"
#include "routing/shape/shape.hpp"
#include "routing/words/query_shape_hash.hpp"
#include "wire/command.hpp"

namespace scattergate::report {
namespace {

/// The shape of a batch whose statements the source lacks: mongos doesn't log document
/// sequences.
constexpr std::string_view not_logged = R"({"statements":"not logged"})";

/// The hint for such a batch.
constexpr std::string_view look_elsewhere =
    "the source lacks the batch's statements; use a packet capture or the proxy to see which "
    "of them ask every shard";

bool lacks_statements(const wire::command& command) {
  const std::string_view list = routing::facts_of(routing::kind_of(command.name)).batch;
  return !list.empty() && command.sequences.begin() == command.sequences.end() &&
         !wire::find_field(command.body, list);
}

/// Longer names than MongoDB allows: no server accepted the command, and rows keep their names.
bool has_impossible_names(const wire::command& command) {
  constexpr std::size_t most = 255;  // mongo: NamespaceString::MaxNsCollectionLen and others
  return command.name.size() > most || command.ns().database.size() > most ||
         command.ns().collection.size() > most;
}

std::string name_of(const wire::command& command) {
  const auto kind = routing::kind_of(command.name);
  return std::string{kind == routing::command_kind::other ? command.name
                                                          : routing::name_of(kind)};
}

/// Puts the pattern in place of the database's name in a shape: {"db":"test-1"},
/// {"insert":"test-1.orders"}.
void call_database(std::string& shape, std::string_view database, std::string_view pattern) {
  for (const char end : {'"', '.'}) {
    const std::string named = '"' + std::string{database} + end;
    const std::string called = '"' + std::string{pattern} + end;
    for (std::size_t at = 0; (at = shape.find(named, at)) != shape.npos; at += called.size()) {
      shape.replace(at, named.size(), called);
    }
  }
}

digest::sighting sighting_of(const observation& seen, const routing::verdict& verdict) {
  digest::sighting made;
  made.count = seen.count;
  made.errors = seen.is_error ? 1 : 0;
  // Shard requests are excluded: other log lines know how many shards the command asked.
  if (!seen.is_shard_request) {
    made.fanout = seen.shards ? seen.shards : verdict.shards_asked();
  }
  made.duration = seen.duration;
  made.longest = seen.longest;
  made.resolution = seen.resolution;
  made.first = seen.first ? seen.first : seen.at;
  made.last = seen.at;
  return made;
}

/// Counts the execution statistics of a command.
void count_run(const observation& seen, digest::execution& in) {
  if (seen.docs_examined) in.docs_examined.add(*seen.docs_examined);
  if (seen.reply_bytes) in.reply_bytes.add(*seen.reply_bytes);
  if (!seen.error_name.empty()) in.errors.add(seen.error_name, 1);
  if (!seen.plan.empty()) in.plans.add(seen.plan, seen.count);
}

}  // namespace

void rejudging_observer::on_row(const digest::row& judged) {
  digest::row again = judged;
  note(again, judge_.judge_again(again));
  to_.on_row(again);
}

void rejudging_observer::on_digest(const digest::table& judged) {
  to_.on_digest(judge_.judge_again(
      judged, [this](const digest::row& row, digest::second_judge::outcome result) {
        note(row, result);
      }));
}

void rejudging_observer::on_request_digest(const digest::table& judged) {
  for (const digest::row* one : judged.ranked()) kept_.insert(one->shape_hash);
  to_.on_request_digest(judged);
}

void rejudging_observer::note(const digest::row& judged, digest::second_judge::outcome result) {
  if (result == digest::second_judge::outcome::not_judged) kept_.insert(judged.shape_hash);
}

digest_builder::digest_builder(std::shared_ptr<const routing::catalog> catalog,
                               digest::table& into)
    : catalog_(catalog), judge_(std::move(catalog)), table_(into), requests_(into.max_rows()) {}

void digest_builder::on_skipped(skip_reason why) {
  ++tally_.skipped[static_cast<std::size_t>(why)];
}

void digest_builder::on_row(const digest::row& judged) {
  tally_.observations += judged.count;
  ++tally_.rows;
  const shape_name named = reported_name(judged);
  if (named.hash == judged.shape_hash) return add(judged);
  digest::row renamed = judged;
  renamed.database = named.in.database;
  renamed.collection = named.in.collection;
  renamed.shape_hash = named.hash;
  renamed.what.shape_json = named.text;
  add(renamed);
}

void digest_builder::add(const digest::row& judged) {
  table_.add(judged);
  parts_.add(judged);
}

void digest_builder::on_digest(const digest::table& judged) {
  const auto rows = judged.ranked();
  const auto is_renamed = [this](const digest::row* one) {
    return reported_name(*one).hash != one->shape_hash;
  };
  if (std::ranges::any_of(rows, is_renamed)) {
    for (const digest::row* one : rows) on_row(*one);
    table_.add_rowless(judged);
    parts_.add_rowless(judged);
    tally_.observations += judged.rowless().commands;
    return;
  }
  tally_.observations += judged.all().commands;
  tally_.rows += rows.size();
  table_.add(judged);
  parts_.add(judged);
}

void digest_builder::on_request_digest(const digest::table& judged) {
  tally_.observations += judged.all().commands;
  tally_.shard_requests += judged.all().commands;
  tally_.rows += judged.size();
  requests_.add(judged);
  request_parts_.add(judged);
}

/// If a database's name is generated for each run, its pattern stands for all such names, so
/// that the shape is stable.
digest_builder::shape_name digest_builder::reported_name(wire::namespace_view given,
                                                         std::string_view command,
                                                         const judged_shape& shape) const {
  const routing::collection* const entry = catalog_->find(given.database, given.collection);
  wire::namespace_view name = given;
  if (entry != nullptr && routing::is_pattern(*entry)) name = entry->ns();
  if (entry == nullptr) {  // another collection of such a database, or none (dropDatabase)
    const auto pattern = routing::pattern_of_database(catalog_->collections(), given.database);
    if (!pattern.empty()) name.database = pattern;
  }
  if (name == given) return {given, shape.hash, {}};
  std::string text{shape.text};
  if (name.database != given.database) call_database(text, given.database, name.database);
  const std::uint64_t hash = routing::shape_hash(name, command, text);
  return {name, hash, std::move(text)};
}

digest_builder::shape_name digest_builder::reported_name(const digest::row& judged) const {
  return reported_name({judged.database, judged.collection}, judged.command,
                       {judged.shape_hash, judged.what.shape_json});
}

void digest_builder::on_command(const observation& seen) {
  const auto body = wire::document_view::from(seen.command);
  if (!body) return on_skipped(skip_reason::unreadable);
  auto command = wire::command_of(*body);
  if (!command || has_impossible_names(*command)) return on_skipped(skip_reason::unreadable);
  const std::string name = name_of(*command);
  if (!seen.origin.empty()) {  // a getMore goes to the shards of its cursor
    const auto opener = wire::document_view::from(seen.origin);
    const auto opened_by = opener ? wire::command_of(*opener) : command;
    if (opened_by && !has_impossible_names(*opened_by)) command = opened_by;
  }
  count(seen, *command, name);
}

void digest_builder::count(const observation& seen, const wire::command& judged,
                           const std::string& name) {
  const routing::verdict verdict =
      seen.is_made_up ? judge_.verdict_of_made_up(judged) : judge_.verdict_of(judged);
  // The command did run, so mongos would reject only the made-up value.
  if (seen.is_made_up && verdict.refused != routing::refusal::none) {
    return on_skipped(skip_reason::not_rebuilt);
  }
  ++tally_.observations;
  if (seen.is_shard_request) ++tally_.shard_requests;
  digest::table& table = seen.is_shard_request ? requests_ : table_;
  digest::breakdown& parts = seen.is_shard_request ? request_parts_ : parts_;
  const auto shape = routing::hash_shape(judged, shape_memory_);
  const shape_name named = reported_name(verdict.ns(), judged.name, {shape.hash, shape.text});
  const auto [row, is_new] =
      table.row_of({named.in.database, named.in.collection, name, named.hash});
  if (is_new || digest::is_worse(verdict.routing, row.what.routing)) {
    const std::string_view text =
        named.text.empty() ? shape.text : std::string_view{named.text};
    const bool is_bare = lacks_statements(judged);
    row.what = digest::describe(verdict, judged, std::string{is_bare ? not_logged : text},
                                seen.who.driver);
    if (is_bare && row.what.suggestion.empty()) row.what.suggestion = look_elsewhere;
  }
  if (!seen.query_shape_hash.empty()) {
    row.query_shape_hash = seen.query_shape_hash;  // MongoDB's own value has precedence
  } else if (is_new && !seen.is_made_up) {
    row.query_shape_hash = routing::query_shape_hash(judged, judge_.catalog());
  }
  const digest::sighting sighting = sighting_of(seen, verdict);
  table.count(row, sighting, verdict.routing);
  const bool is_whole = !seen.is_made_up && !seen.is_shard_request && seen.origin.empty();
  if (kept_ != nullptr && is_whole) kept_->keep(named.hash, judged.body, seen.at);
  row.who.add(seen.who, seen.count);
  parts.count_in(row, sighting, verdict.routing, seen.who);
  if (sighting.fanout) row.fanouts.add(*sighting.fanout, sighting.count);
  count_run(seen, row.run);
  // If a pipeline reads other collections, shards ask for them; mongos's number covers only its
  // own collection.
  const bool is_comparable = seen.shards && !seen.is_error && verdict.touches.empty() &&
                             verdict.routing != routing::routing_class::unknown;
  if (is_comparable) compare(verdict, name, named.hash, *seen.shards);
}

void digest_builder::compare(const routing::verdict& verdict, const std::string& name,
                             std::uint64_t shape_hash, std::uint32_t actual) {
  const auto predicted = verdict.shards_asked();
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
