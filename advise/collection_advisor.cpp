#include "advise/collection_advisor.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "advise/advice_words.hpp"
#include "advise/candidate_catalog.hpp"
#include "advise/traffic.hpp"
#include "digest/judge.hpp"
#include "digest/number_text.hpp"
#include "text/json_writer.hpp"
#include "wire/command.hpp"

namespace scattergate::advise {
namespace {

constexpr routing::server_version has_refine{4, 4};
constexpr routing::server_version has_reshard{5, 0};
constexpr routing::server_version has_analyze{7, 0};

std::string quoted(std::string_view text) {
  std::string made;
  text::append_json_string(made, text);
  return made;
}

std::string create_index(std::string_view name_space, const std::string& key) {
  const std::size_t dot = name_space.find('.');
  return "db.getSiblingDB(" + quoted(name_space.substr(0, dot)) + ").getCollection(" +
         quoted(name_space.substr(dot + 1)) + ").createIndex(" + key + ")";
}

/// The least period of the traffic for reliable advice: a day less an hour, because a day's
/// traffic may begin a bit late and end early.
constexpr std::chrono::hours least_window{23};

/// Sentences on what is unknown.
struct unknown_list {
  std::vector<std::string> texts;

  void add(bool is_so, const std::string& what, const std::string& what_to_do) {
    if (is_so) texts.push_back(what + ": " + what_to_do);
  }
};

void add_of_sources(const input_gaps& gaps, unknown_list& to) {
  to.add(
      gaps.is_findings_only,
      "an audit log has findings only, so commands that go to one shard are unknown",
      "use the proxy's state file (state: {file: PATH}), its admin address, or mongos's log");
  to.add(
      gaps.has_several_salts,
      "the sources' sketches have different salts, so they aren't added up; only those of the "
      "salt with the most requests are used",
      "give the proxies copies of one salt_file");
  to.add(gaps.threshold.has_value(),
         "only slow commands were logged" +
             (gaps.threshold ? ", from " + std::to_string(gaps.threshold->count()) + " ms on"
                             : std::string{}),
         "log all with db.setProfilingLevel(0, {slowms: -1}) on mongos, or use the proxy");
  to.add(gaps.truncated != 0,
         count_text(static_cast<double>(gaps.truncated)) + " log lines were truncated",
         "capture packets, or raise mongos's maxLogSizeKB");
  to.add(gaps.redacted != 0,
         count_text(static_cast<double>(gaps.redacted)) + " entries have no values or names",
         "disable redactClientLogData or transformIdentifiers, or capture packets");
  to.add(gaps.evicted_rows != 0, "shapes were evicted from a full table",
         "raise the proxy's audit.max_shapes, or pass --collection");
}

/// Sketches must have counted at least this share of the commands to be representative.
constexpr double least_sketched = 0.9;

void add_of_values(const traffic& sent, const input_gaps& gaps, double sketched,
                   unknown_list& to) {
  const traffic::sums& sums = sent.counted();
  const double without = sums.all - sums.whole - sums.not_logged;
  const std::string how_many = count_text(without) + " of " + count_text(sums.all);
  const bool has_statistics = sketched > 0;
  to.add(without > 0 && !has_statistics && !gaps.has_fleet,
         how_many + " commands have no values, so they don't show a hot key",
         "use mongos's log with all commands or a packet capture, or enable advise: {sketch: "
         "on} and pass the proxy's address or state file");
  to.add(
      without > 0 && !has_statistics && gaps.has_fleet,
      how_many +
          " commands have no values, so they don't show a hot key; a fleet's database has "
          "no sketches",
      "enable advise: {sketch: on, salt_file: PATH} on the sidecars, each with a copy of one "
      "salt file, and pass their addresses or state files instead of the database");
  to.add(has_statistics && sketched < least_sketched * without,
         "the sketches have the values of only " + count_text(sketched) + " requests, for " +
             count_text(without) + " commands",
         "sketch for the whole period: advise: {sketch: on, salt_file: PATH} keeps sketches "
         "across restarts");
  to.add(
      sums.not_logged > 0,
      "the statements of " + count_text(sums.not_logged) + " batches of writes weren't logged",
      "capture packets, or use the proxy's state file");
  to.add(sums.not_judged > 0,
         "of " + count_text(sums.not_judged) +
             " commands it is unknown how another key would route them",
         "use complete commands: mongos's log or a packet capture");
  to.add(sums.inserts_without_documents > 0 && !has_statistics,
         "the documents of " + count_text(sums.inserts_without_documents) +
             " inserts aren't known",
         "capture packets");
}

void add_of_times(const traffic& sent, unknown_list& to) {
  const traffic::sums& sums = sent.counted();
  // Batches whose statements weren't logged have a separate sentence.
  const double timeless = sums.all - sums.timed - sums.not_logged;
  to.add(timeless > 0,
         count_text(timeless) + " of " + count_text(sums.all) + " commands have no time, so " +
             (sums.timed == 0 ? "nothing is held out to test a key on"
                              : "they aren't in the held-out part"),
         "use mongos's log or a packet capture, which have times");
  to.add(sums.all < least_commands,
         "too little traffic (" + count_text(sums.all) + " commands)",
         "record at least " + count_text(least_commands) + " of a usual day");
  const bool is_long = sent.from() && sent.to() && *sent.to() - *sent.from() >= least_window;
  to.add(!is_long, "the period is shorter than a day, or unknown",
         "record at least a day, with its quiet hours and nightly jobs");
}

/// The maximum number of fields from which proposed_keys() composes keys: the fields that a
/// collection's filters pin most often. A filter pins a field if it limits the field to single
/// values by equality (`$eq` or `$in`).
constexpr std::size_t most_proposed_fields = 6;

/// Proposals contain only fields that at least this share of the commands pins.
constexpr double least_share = 0.01;

shard_key key_of(std::span<const field_values* const> fields) {
  shard_key made;
  bool is_hashed = false;
  for (const field_values* const one : fields) {
    const bool hashes = one->is_monotonic && !is_hashed;
    made.push_back({one->path, hashes});
    is_hashed |= hashes;
  }
  return made;
}

shard_key key_of(std::initializer_list<const field_values*> fields) {
  return key_of(std::span{fields.begin(), fields.size()});
}

/// A key of an index's first three fields; empty if one of these isn't among `fields`, or if
/// there are fewer.
shard_key start_of(const std::vector<std::string>& index,
                   const std::vector<const field_values*>& fields) {
  constexpr std::size_t length = 3;
  std::vector<const field_values*> chosen;
  for (std::size_t i = 0; i < std::min(index.size(), length); ++i) {
    const auto found = std::ranges::find(fields, index[i], &field_values::path);
    if (found != fields.end()) chosen.push_back(*found);
  }
  return chosen.size() == length ? key_of(chosen) : shard_key{};
}

/// A key can't contain both a document and a field within it.
bool overlap(const field_values* one, const field_values* other) {
  return is_same_or_parent(one->path, other->path);
}

/// Proposes shard keys of one to three fields; a key may be proposed twice. Uses only fields
/// that the filters of at least 1 % of the commands pin, and at most `most_proposed_fields`.
/// (To pin a field is to limit it to single values by equality.)
/// - Each of these fields is proposed as a key.
/// - Each pair is proposed in both orders.
/// - Each triple is proposed with the most often pinned field first. The first three fields of
///   a unique index are also proposed in the index's order, if all three are among the used
///   fields.
/// - In each key, the first field with monotonic values is hashed. If this field is the second
///   of a pair, the pair is also proposed without a hashed field.
///
/// `unique`: the fields of each unique index, in order.
std::vector<shard_key> proposed_keys(const traffic& sent,
                                     std::span<const std::vector<std::string>> unique) {
  std::vector<const field_values*> fields;
  for (const field_values& one : sent.fields()) {
    if (one.pinned > 0 && one.pinned >= least_share * sent.counted().all)
      fields.push_back(&one);
  }
  std::ranges::stable_sort(fields, [](const field_values* a, const field_values* b) {
    return a->pinned > b->pinned;
  });
  if (fields.size() > most_proposed_fields) fields.resize(most_proposed_fields);
  std::vector<shard_key> made;
  for (const field_values* one : fields) made.push_back(key_of({one}));
  for (const field_values* one : fields) {
    for (const field_values* other : fields) {
      if (one == other || overlap(one, other)) continue;
      made.push_back(key_of({one, other}));
      // As a range, for queries that pin the first field and a range of the second.
      if (made.back().back().hashed) made.push_back({{one->path}, {other->path}});
    }
  }
  for (std::size_t a = 0; a < fields.size(); ++a) {
    for (std::size_t b = a + 1; b < fields.size(); ++b) {
      for (std::size_t c = b + 1; c < fields.size(); ++c) {
        const bool meet = overlap(fields[a], fields[b]) || overlap(fields[b], fields[c]) ||
                          overlap(fields[a], fields[c]);
        if (!meet) made.push_back(key_of({fields[a], fields[b], fields[c]}));
      }
    }
  }
  // A unique index must begin with the whole key, so only its own order of fields is possible.
  for (const std::vector<std::string>& index : unique) {
    if (auto key = start_of(index, fields); !key.empty()) made.push_back(std::move(key));
  }
  return made;
}

/// Facts about a collection on which the safety of its candidate keys depends.
struct safety_context {
  bool is_sharded = false;         ///< the collection is sharded now
  bool has_unknown = false;        ///< something that matters is unknown
  bool are_minutes_known = false;  ///< for at least one key, the share of a minute's most
                                   ///< frequent value is known (key_values::per_minute)
};

std::string forbidden_text(const std::vector<std::string>& names) {
  std::string made = names.size() == 1 ? "it forbids the unique index "
                                       : "it forbids " + std::to_string(names.size()) +
                                             " unique indexes, among them ";
  return made + names.front();
}

/// Says which share of the requests the most frequent value gets. Chooses a share that exceeds
/// a shard's: of all requests, otherwise of a minute's, otherwise of those in the held-out part
/// or before it.
std::string hot_text(const candidate& of) {
  const double shard = 1 / static_cast<double>(of.worth.shards);
  const auto above = [&](const std::optional<double>& share) {
    return share.value_or(0) > shard ? share : std::nullopt;
  };
  const auto in_parts = [&](std::optional<double> key_score::*share) {
    const auto held_out = of.held_out_worth ? (*of.held_out_worth).*share : std::nullopt;
    return above(std::max(of.worth.*share, held_out));  // empty compares as smallest
  };
  const key_values& values = of.all.values;
  std::string made = "its most common value gets ";
  if (const auto share = above(values.hottest())) {
    made += share_text(share) + " of the requests";
  } else if (const auto in_minute = above(values.per_minute)) {
    made += share_text(in_minute) + " of a minute's requests";
  } else if (const auto in_part = in_parts(&key_score::hottest)) {
    made += share_text(in_part) + " of the requests in a part of the time";
  } else {
    made += share_text(in_parts(&key_score::per_minute)) +
            " of a minute's requests in a part of the time";
  }
  return made + ", more than a shard's share (" + share_text(shard) + ")";
}

/// The reasons why the key of `evaluated` isn't safe, worst first. Empty: the key is safe
/// (docs/advise.md, "Safe").
std::vector<objection> objections_to(const candidate& evaluated,
                                     const safety_context& context) {
  std::vector<objection> made;
  const auto add = [&](bool is_so, std::string_view label, const auto& text) {
    if (is_so) made.push_back({label, text()});
  };
  const auto say = [&](bool is_so, std::string_view label, const char* text) {
    add(is_so, label, [text] { return std::string{text}; });
  };
  const bool is_few = evaluated.worth.has_few_values;
  const double updates = evaluated.all.write_distribution.key_updates;
  const bool is_compared = context.is_sharded && evaluated.from != key_origin::present;
  add(!evaluated.forbidden.empty(), "unique index",
      [&] { return forbidden_text(evaluated.forbidden); });
  add(evaluated.new_refused > 0, "refused",
      [&] { return "mongos would refuse " + things_text(evaluated.new_refused, "command"); });
  add(is_few, "few values", [&] {
    const double values = evaluated.all.values.least_distinct;
    return "it has only " + things_text(values, "value") +
           (values > 1 ? ", so some shards would get no documents"
                       : ", so one shard would get all documents");
  });
  add(!is_few && evaluated.is_hot, "hot value", [&] { return hot_text(evaluated); });
  say(!is_few && evaluated.jumbo == jumbo_risk::high, "jumbo chunk",
      "one value may exceed a chunk, which can't be split then");
  say(evaluated.is_monotonic && !evaluated.key.front().hashed, "grows",
      "its values grow, so all new documents go to one shard");
  add(evaluated.new_scatters > 0, "scatters", [&] {
    return things_text(evaluated.new_scatters, "command") +
           " would scatter to all shards, unlike today";
  });
  add(updates > 0, "key updates", [&] {
    return things_text(updates, "update") +
           " may change the key's value, which moves documents between shards";
  });
  say(is_compared && !evaluated.beats_present.value_or(false), "not better",
      "it isn't better than the present key");
  say(is_compared && !evaluated.beats_present_held_out.value_or(true), "not better",
      "it isn't better than the present key in the last fifth of the time");
  say(context.has_unknown, "unknown", "something that matters isn't known");
  say(!evaluated.all.values.per_minute && context.are_minutes_known, "unknown",
      "within a minute one value may get more than a shard's share of the requests");
  say(is_compared && !evaluated.beats_present_held_out, "untested",
      "there is no last fifth of the time to test it on");
  return made;
}

/// The least number of held-out commands. With fewer, keys aren't tested on them.
constexpr double least_held_out = 50;

/// The least change of a shape's shards per command. Smaller changes aren't reported.
constexpr double least_change = 0.05;

std::vector<std::string> paths_of(const shard_key& key) {
  std::vector<std::string> made;
  for (const routing::key_field& field : key) made.push_back(field.path);
  return made;
}

std::optional<time_window> window_of(const traffic& sent) {
  std::optional<digest::wall_time> first;
  std::optional<digest::wall_time> last;
  for (const weighted_command& each : sent.commands()) {
    if (!each.at) continue;
    if (!first || *each.at < *first) first = each.at;
    if (!last || *last < *each.at) last = each.at;
  }
  if (!first || *first == *last) return std::nullopt;
  return time_window{*first, *last};
}

shape_change change_of(const digest::row& of, const shape_cost& before,
                       const shape_cost& after) {
  return {of.command,   of.what.shape_json, of.shape_hash,        after.commands,
          before.worst, after.worst,        before.per_command(), after.per_command()};
}

/// Whether each command of a shape asks every shard. This happens even if the filter pins a
/// part of the key, when that part has few values.
bool is_always_everywhere(const shape_cost& of) {
  constexpr double almost = 0.999;
  return of.everywhere >= almost * of.commands;
}

/// The number of a shape's commands that scatter with a candidate key, and don't today; see
/// candidate::new_scatters. `before`: the cost with the present key.
double new_scatters_of(const shape_cost& before, const shape_cost& after) {
  if (is_always_everywhere(after) && !is_always_everywhere(before)) {
    return after.commands - before.scatters;
  }
  return std::max(0.0, after.scatters - before.scatters);
}

double weight_of(const shape_change& one) {
  return std::abs(one.asked_after - one.asked_before) * one.commands;
}

void keep_first(shape_changes& of) {
  of.all = of.listed.size();
  std::ranges::sort(of.listed, [](const shape_change& a, const shape_change& b) {
    const double of_a = weight_of(a);
    const double of_b = weight_of(b);
    return of_a != of_b ? of_a > of_b : a.shape_hash < b.shape_hash;
  });
  if (of.listed.size() > shape_changes::most) of.listed.resize(shape_changes::most);
}

}  // namespace

std::vector<std::string> next_steps(std::string_view name_space,
                                    const std::optional<shard_key>& present,
                                    const shard_key& key, routing::server_version version,
                                    bool is_safe) {
  std::vector<std::string> made;
  if (name_space.find('.') == name_space.npos) return made;
  const std::string ns = quoted(name_space);
  const std::string text = key_text(key);
  if (version >= has_analyze) {
    made.push_back(
        "db.adminCommand({configureQueryAnalyzer: " + ns +
        ", mode: \"full\", samplesPerSecond: 5})  // samples from now on: wait a day");
    made.push_back("db.adminCommand({analyzeShardKey: " + ns + ", key: " + text + "})");
  }
  if (!is_safe || (present && is_same_key(*present, key))) return made;
  const bool is_refinement = present && is_refinement_of(key, *present);
  const bool needs_index = !present || (is_refinement && version >= has_refine);
  if (needs_index) made.push_back(create_index(name_space, text));
  if (!present) {
    made.push_back("db.adminCommand({shardCollection: " + ns + ", key: " + text + "})");
  } else if (is_refinement && version >= has_refine) {
    made.push_back("db.adminCommand({refineCollectionShardKey: " + ns + ", key: " + text +
                   "})");
  } else if (!is_refinement && version >= has_reshard) {
    made.push_back("db.adminCommand({reshardCollection: " + ns + ", key: " + text + "})");
  }
  return made;
}

std::vector<std::string> unknowns_of(const traffic& sent, const input_gaps& gaps,
                                     const known_facts& of) {
  unknown_list to;
  if (sent.counted().all == 0) {
    to.add(true, "the sources have no command on it",
           "use sources that have some, or check the name");
  }
  add_of_sources(gaps, to);
  add_of_values(sent, gaps, of.sketched, to);
  add_of_times(sent, to);
  to.add(!of.are_indexes_known, "its unique indexes are unknown; a key may forbid them",
         "pass --indexes FILE with the output of getIndexes(), or --catalog mongos");
  to.add(
      of.estimated_share > 0,
      "how many shards " +
          digest::percent(static_cast<std::uint64_t>(of.estimated_share * 1e6), 1'000'000) +
          " of the commands ask is an estimate for some keys, because their values are unknown",
      "use complete commands");
  return to.texts;
}

collection_advisor::collection_advisor(const evidence& from, const question& asked,
                                       wire::namespace_view name)
    : from_(from),
      asked_(asked),
      database_(name.database),
      collection_(name.collection),
      full_name_(name.full_name()),
      sent_(full_name_, from.sampled_commands) {
  const routing::collection* const entry = from.catalog.find(database_, collection_);
  if (entry != nullptr && entry->is_sharded()) present_ = entry->key;
  if (from.indexes == nullptr) return;
  const auto found = from.indexes->find(full_name_);
  if (found != from.indexes->end()) indexes_ = &found->second;
}

evaluation_input collection_advisor::make_evaluation_input() const {
  evaluation_input made{from_.catalog,    sent_, {database_, collection_}, asked_.shards,
                        window_of(sent_), {}};
  made.neighbours = neighbours_of(from_.catalog, made.name, touched());
  return made;
}

/// The collections that the commands join, sorted. Judges one command of each shape.
std::vector<std::string> collection_advisor::touched() const {
  std::vector<std::string> made;
  const std::shared_ptr<const routing::catalog> borrowed{&from_.catalog,
                                                         [](const routing::catalog*) {}};
  digest::judge judge{borrowed};
  std::vector<bool> is_seen(sent_.rows().size());
  for (const weighted_command& each : sent_.commands()) {
    const auto body = wire::document_view::from(each.command);
    if (is_seen[each.shape] || !body) continue;
    is_seen[each.shape] = true;
    const auto command = wire::command_of(*body);
    if (!command) continue;
    for (const routing::touch& one : judge.verdict_of(*command).touches) {
      made.push_back(one.ns().full_name());
    }
  }
  std::ranges::sort(made);
  made.erase(std::ranges::unique(made).begin(), made.end());
  return made;
}

std::optional<value_statistics> collection_advisor::statistics_of(const shard_key& key) const {
  if (!from_.statistics) return std::nullopt;
  auto made = from_.statistics(full_name_, paths_of(key));
  const auto grows = sent_.growing_place(key);
  if (made && grows && *grows > 0) {
    const shard_key prefix(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(*grows));
    const auto in_front = from_.statistics(full_name_, paths_of(prefix));
    if (in_front) made->per_minute_of_prefix = in_front->per_minute_max_share;
  }
  return made;
}

/// Completes the fields' monotonicity from sketches. proposed_keys() depends on it.
void collection_advisor::learn_orders() {
  for (std::uint32_t i = 0; i < sent_.fields().size(); ++i) {
    const auto known = statistics_of({{sent_.fields()[i].path, false}});
    if (known && known->monotonicity) sent_.learn_order(i, *known->monotonicity);
  }
}

collection_advice collection_advisor::advise() {
  std::vector<shard_key> keys = asked_.named;
  if (present_) keys.push_back(*present_);
  sent_.finish(keys);
  learn_orders();
  input_.emplace(make_evaluation_input());
  add_candidates();
  collection_advice made;
  made.name_space = full_name_;
  made.present = present_;
  made.commands = sent_.counted().all;
  for (const shape_cost& one : present_costs_) made.wasted += one.shard_requests - one.commands;
  made.from = sent_.from();
  made.to = sent_.to();
  if (input_->window) made.held_out_from = input_->window->held_out_from();
  double estimated = 0;
  for (const candidate& one : found_) {
    if (one.all.commands > 0)
      estimated = std::max(estimated, one.all.estimated / one.all.commands);
  }
  made.unknown = unknowns_of(sent_, from_.gaps, {indexes_ != nullptr, sketched_, estimated});
  for (candidate& one : found_) judge_safety(one, !made.unknown.empty());
  rank();
  made.candidates = std::move(found_);
  return made;
}

std::map<std::string, double> collection_advisor::pinned_shares() const {
  std::map<std::string, double> made;
  if (sent_.counted().all == 0) return made;
  for (const field_values& one : sent_.fields()) {
    made[one.path] = one.pinned / sent_.counted().all;
  }
  return made;
}

void collection_advisor::add_candidates() {
  // All other keys are compared with the present key's cost.
  const auto now = evaluate(*input_, present_.value_or(shard_key{}), std::nullopt);
  if (now) present_costs_ = now->shapes;
  if (present_) add_candidate(*present_, key_origin::present);
  for (const shard_key& key : asked_.named) add_candidate(key, key_origin::named);
  const auto unique = indexes_ != nullptr ? fields_of_unique(*indexes_)
                                          : std::vector<std::vector<std::string>>{};
  for (const shard_key& key : proposed_keys(sent_, unique)) {
    add_candidate(key, key_origin::proposed);
  }
}

void collection_advisor::add_candidate(const shard_key& key, key_origin from) {
  for (const candidate& one : found_) {
    if (is_same_key(one.key, key)) return;
  }
  const auto known = statistics_of(key);
  if (known && sent_.counted().whole == 0) sketched_ = std::max(sketched_, known->requests);
  const auto by = evaluate(*input_, key, known);
  if (!by) return;
  candidate made;
  made.key = key;
  made.from = from;
  are_minutes_known_ |= by->all.values.per_minute.has_value();
  weigh(made, *by);
  found_.push_back(std::move(made));
}

void collection_advisor::weigh(candidate& one, const evaluation& result) {
  one.are_indexes_known = indexes_ != nullptr;
  if (indexes_ != nullptr) {
    one.forbidden = forbidden_by(one.key, *indexes_);
    one.is_unique = has_unique_on(one.key, *indexes_);
  }
  const bool forbids = !one.forbidden.empty();
  one.all = result.all;
  one.held_out = result.held_out;
  const auto worth = [&](const measures& in) {
    return key_score_of(in, forbids, one.key.size(), asked_.shards);
  };
  const bool is_tested = result.held_out && result.held_out->commands >= least_held_out;
  one.worth = worth(is_tested ? result.earlier : result.all);
  if (is_tested) one.held_out_worth = worth(*result.held_out);
  one.is_hot = one.worth.is_hot() || (is_tested && one.held_out_worth->is_hot());
  if (one.from == key_origin::present) {
    present_worth_ = one.worth;
    present_held_out_ = one.held_out_worth;
  } else if (present_worth_) {
    one.beats_present = one.worth.beats(*present_worth_);
    if (is_tested) one.beats_present_held_out = one.held_out_worth->beats(*present_held_out_);
  }
  compare_shapes(one, result);
  describe_values(one);
}

void collection_advisor::compare_shapes(candidate& one, const evaluation& result) const {
  for (std::size_t i = 0; i < result.shapes.size() && i < present_costs_.size(); ++i) {
    const shape_cost& before = present_costs_[i];
    const shape_cost& after = result.shapes[i];
    if (after.commands == 0) continue;
    one.new_refused += std::max(0.0, after.refused - before.refused);
    one.new_scatters += new_scatters_of(before, after);
    const double change = after.per_command() - before.per_command();
    if (std::abs(change) < least_change) continue;
    auto& to = change < 0 ? one.better.listed : one.worse.listed;
    to.push_back(change_of(*sent_.rows()[i], before, after));
  }
  keep_first(one.better);
  keep_first(one.worse);
}

void collection_advisor::describe_values(candidate& one) const {
  const auto first = sent_.field_of(one.key.front().path);
  const auto known = statistics_of(one.key);
  if (one.key.front().hashed) {
    one.monotonicity = 0;
  } else if (first) {
    const field_values& of = sent_.fields()[*first];
    one.monotonicity =
        of.monotonicity ? of.monotonicity : (known ? known->monotonicity : std::nullopt);
    one.is_monotonic =
        of.is_monotonic || (one.monotonicity && std::abs(*one.monotonicity) >= monotonic_from);
  }
  const key_values& values = one.all.values;
  const auto shards = static_cast<double>(asked_.shards);
  // Among few new documents, one value may have a large share by chance.
  const bool has_documents = values.documents >= least_per_shard * shards;
  const double all = has_documents ? values.documents : values.requests;
  const auto& common = has_documents ? values.common_documents : values.common;
  if (all == 0 || common.empty()) return;
  const double share = common.front().frequency / all;
  constexpr double some = 0.01;
  const double whole_shard = 1 / shards;
  const bool is_few = one.worth.has_few_values;
  one.jumbo = share > whole_shard || is_few ? jumbo_risk::high
              : share > some                ? jumbo_risk::low
                                            : jumbo_risk::none;
}

void collection_advisor::judge_safety(candidate& one, bool has_unknown) const {
  one.not_safe = objections_to(one, {.is_sharded = present_.has_value(),
                                     .has_unknown = has_unknown,
                                     .are_minutes_known = are_minutes_known_});
  one.is_safe = one.not_safe.empty();
  one.next = next_steps(full_name_, present_, one.key, from_.catalog.version(), one.is_safe);
}

/// Sorts the candidates, best first. A key comes before the present one only if it beats the
/// present one, on the held-out traffic, too.
void collection_advisor::rank() {
  std::vector<key_score> worths;
  std::optional<std::size_t> present;
  for (const candidate& one : found_) {
    if (one.from == key_origin::present) present = worths.size();
    worths.push_back(one.worth);
  }
  std::vector<std::size_t> places = best_first(worths, present);
  if (present) {
    const auto end = std::ranges::find(places, *present);
    std::stable_partition(places.begin(), end + 1, [&](std::size_t place) {
      const candidate& one = found_[place];
      return place == *present ||
             (one.beats_present.value_or(false) && one.beats_present_held_out.value_or(true));
    });
  }
  std::vector<candidate> ranked;
  for (const std::size_t place : places) ranked.push_back(std::move(found_[place]));
  found_ = std::move(ranked);
}

}  // namespace scattergate::advise
