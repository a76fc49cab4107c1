#include "advise/evaluation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <unordered_map>

#include "advise/candidate_catalog.hpp"
#include "advise/statements.hpp"
#include "digest/judge.hpp"
#include "routing/command_kind.hpp"
#include "routing/keys/key_encoding.hpp"
#include "routing/scratch.hpp"
#include "wire/command.hpp"

namespace scattergate::advise {
namespace {

/// One value of the key in a request that has a time.
struct sighting {
  std::int64_t minute = 0;  // since 1970; take_periods() replaces it by the period's index
  std::uint64_t value = 0;  // see mixed()
  double weight = 0;
};

/// A value of the key, and the number of requests that have it.
struct counted_value {
  double weight = 0;
  std::vector<std::uint32_t> numbers;  // for each field: the value's index in field_values
};
/// The number of requests in a minute.
struct minute_count {
  double requests = 0;  // including those that a sampled command represents
  double seen = 0;      // only the sampled ones

  void add(double weight, double statements) noexcept {
    requests += weight * statements;
    seen += statements;
  }
};
/// A minute, or several consecutive ones if each has too few requests.
struct period {
  minute_count of;
  double hottest = 0;  // the number of requests that have its most frequent value
};
using value_table = std::unordered_map<std::uint64_t, counted_value>;

/// Identifies a key's value by one number; `numbers` are the indexes of its fields' values.
/// Unique for one or two fields; for more, collisions are rare.
std::uint64_t mixed(std::span<const std::uint32_t> numbers) noexcept {
  if (numbers.size() == 1) return numbers[0];
  std::uint64_t made = numbers[0];
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (i > 1) made *= 0x9e3779b97f4a7c15ULL;
    made = (made << 32 | made >> 32) ^ numbers[i];
  }
  return made;
}

/// Counts the key's values in one part of the traffic.
class part_values {
 public:
  part_values(const key_points& points, std::optional<std::size_t> growing_place,
              double least_of_period)
      : points_(points), growing_place_(growing_place), least_of_period_(least_of_period) {}

  void add(const weighted_command& one) {
    if (one.is_made_up) return;
    requests_ += one.weight * one.statements;
    const std::int64_t minute = minute_of(one);
    if (one.at) in_minute_[minute].add(one.weight, one.statements);
    if (one.is_insert) add_documents(one, minute);
    points_.for_each(one, points_.size(), [&](std::span<const std::uint32_t> numbers) {
      const std::uint64_t value = mixed(numbers);
      note(value, numbers, one.weight, all_);
      if (one.is_insert) note(value, numbers, one.weight, documents_);
      pinned_ += one.weight;
      if (one.at) sightings_.push_back({minute, value, one.weight});
    });
  }

  [[nodiscard]] key_values finish() {
    key_values made;
    made.requests = requests_;
    made.pinned = pinned_;
    made.distinct = static_cast<double>(all_.size());
    made.least_distinct = made.distinct;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto of_field = static_cast<double>(points_.field(i).encoded.size());
      made.least_distinct = std::max(made.least_distinct, of_field);
    }
    made.distinct_documents = static_cast<double>(documents_.size());
    for (const auto& [value, of] : documents_) made.documents += of.weight;
    made.common = commonest(all_);
    made.common_documents = commonest(documents_);
    made.per_minute = hottest_in_minutes();
    return made;
  }

 private:
  static std::int64_t minute_of(const weighted_command& one) {
    if (!one.at) return 0;
    return std::chrono::floor<std::chrono::minutes>(*one.at).time_since_epoch().count();
  }

  /// New documents that are equal in the fields before a growing field count as one value,
  /// because they all go to the same chunk: the last with these fields.
  void add_documents(const weighted_command& one, std::int64_t minute) {
    if (!growing_place_ || !one.at) return;
    if (*growing_place_ == 0) {
      at_ends_.push_back({minute, 0, one.weight * one.statements});
      return;
    }
    points_.for_each(one, *growing_place_, [&](std::span<const std::uint32_t> numbers) {
      at_ends_.push_back({minute, mixed(numbers), one.weight});
    });
  }

  static void note(std::uint64_t value, std::span<const std::uint32_t> numbers, double weight,
                   value_table& in) {
    counted_value& of = in[value];
    if (of.numbers.empty()) of.numbers.assign(numbers.begin(), numbers.end());
    of.weight += weight;
  }

  [[nodiscard]] std::vector<common_value> commonest(const value_table& of) const {
    std::vector<const counted_value*> ranked;
    ranked.reserve(of.size());
    for (const auto& [value, one] : of) ranked.push_back(&one);
    const std::size_t most = std::min(most_common_values, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(most),
                      ranked.end(), [](const counted_value* a, const counted_value* b) {
                        return a->weight != b->weight ? a->weight > b->weight
                                                      : a->numbers < b->numbers;
                      });
    std::vector<common_value> made;
    for (std::size_t n = 0; n < most; ++n) {
      common_value one{{}, ranked[n]->weight};
      for (std::size_t i = 0; i < points_.size(); ++i) {
        one.types.push_back(points_.field(i).types[ranked[n]->numbers[i]]);
      }
      made.push_back(std::move(one));
    }
    return made;
  }

  /// Divides the time into periods with enough requests each, and replaces the sightings'
  /// minutes by the periods' indexes. The remainder after the last complete period has an index
  /// beyond the result, and is ignored.
  [[nodiscard]] std::vector<period> take_periods() {
    std::vector<std::int64_t> minutes;
    for (const auto& [minute, of] : in_minute_) minutes.push_back(minute);
    std::ranges::sort(minutes);
    std::vector<period> made;
    std::unordered_map<std::int64_t, std::int64_t> period_of;
    for (const std::int64_t minute : minutes) {
      if (made.empty() || made.back().of.seen >= least_of_period_) made.emplace_back();
      const minute_count& of = in_minute_.at(minute);
      made.back().of.requests += of.requests;
      made.back().of.seen += of.seen;
      period_of[minute] = static_cast<std::int64_t>(made.size()) - 1;
    }
    if (!made.empty() && made.back().of.seen < least_of_period_) made.pop_back();
    for (auto* const all : {&sightings_, &at_ends_}) {
      for (sighting& each : *all) each.minute = period_of.at(each.minute);
    }
    return made;
  }

  /// Raises `hottest` of each period to the count of its most frequent value in `all`.
  static void add_hottest(std::vector<sighting>& all, std::vector<period>& to) {
    std::ranges::sort(all, {}, [](const sighting& one) {
      return std::pair{one.minute, one.value};
    });
    for (std::size_t at = 0; at < all.size();) {
      const sighting first = all[at];
      const auto place = static_cast<std::size_t>(first.minute);
      if (place >= to.size()) return;
      double weight = 0;
      for (; at < all.size() && all[at].minute == first.minute && all[at].value == first.value;
           ++at) {
        weight += all[at].weight;
      }
      to[place].hottest = std::max(to[place].hottest, weight);
    }
  }

  /// Computes key_values::per_minute: the mean over all periods, weighted by their requests.
  [[nodiscard]] std::optional<double> hottest_in_minutes() {
    std::vector<period> periods = take_periods();
    // Without any observed value, nothing shows that the key is evenly distributed.
    if (periods.empty() || sightings_.empty()) return std::nullopt;
    add_hottest(sightings_, periods);
    add_hottest(at_ends_, periods);
    double all = 0;
    double hot = 0;
    for (const period& each : periods) {
      all += each.of.requests;
      hot += std::min(each.of.requests, each.hottest);
    }
    return hot / all;
  }

  const key_points& points_;
  std::optional<std::size_t> growing_place_;
  double least_of_period_;
  double requests_ = 0;
  double pinned_ = 0;
  value_table all_;
  value_table documents_;
  std::vector<sighting> sightings_;
  std::vector<sighting> at_ends_;  // new documents, by the values in front of a growing field
  std::unordered_map<std::int64_t, minute_count> in_minute_;
};

/// Counts how often the traffic has each value of a key, and sets measures::values in the parts
/// of `to`: all traffic, and the traffic before and in the held-out part. `points`: the key's
/// points (see key_points).
void count_values(const evaluation_input& input, const key_points& points, evaluation& to) {
  const auto grows = input.sent.growing_place(points.key());
  const double least_of_period = least_per_shard * static_cast<double>(input.shards);
  part_values all{points, grows, least_of_period};
  part_values earlier{points, grows, least_of_period};
  part_values held_out{points, grows, least_of_period};
  for (const weighted_command& each : input.sent.commands()) {
    const bool is_late = input.window && each.at && input.window->is_held_out(*each.at);
    if (to.held_out) (is_late ? held_out : earlier).add(each);
    all.add(each);
  }
  to.all.values = all.finish();
  to.earlier.values = to.held_out ? earlier.finish() : to.all.values;
  if (to.held_out) to.held_out->values = held_out.finish();
}

/// The maximum number of points per statement. Further ones are ignored.
constexpr std::size_t most_points = 64;
/// Chunk bounds use this many fields of the key; further fields are MinKey.
constexpr std::size_t most_split = 3;
constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

using split_place = std::array<std::uint64_t, most_split>;

void append(routing::bytes_view bytes, std::vector<std::byte>& to) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_hash(std::uint64_t place, std::vector<std::byte>& to) {
  std::array<std::byte, 256> block{};
  routing::scratch memory{block};
  append(routing::encode_int64(static_cast<std::int64_t>(place ^ sign_bit), memory), to);
}

using routing::command_kind;
using routing::routing_class;

/// How mongos would route one command.
struct outcome {
  routing_class routing = routing_class::single_shard;
  double asked = 1;  ///< number of shards; a fraction if it is an estimate
  bool is_estimated = false;
  bool is_refused = false;
};

/// The index in distribution::by_command of a statement of this kind; std::nullopt if
/// analyzeShardKey doesn't sample the statement.
std::optional<std::size_t> place_of(command_kind kind, const statement& one) noexcept {
  switch (kind) {
    case command_kind::find:
    case command_kind::update:
      return 0;
    case command_kind::aggregate:
    case command_kind::delete_:
      return 1;
    case command_kind::count:
    case command_kind::find_and_modify:
      return 2;
    case command_kind::distinct:
      return 3;
    case command_kind::bulk_write:  // mongo: its operations are sampled as updates and deletes
      if (one.is_insert) return std::nullopt;
      return one.update ? 0 : 1;
    default:
      return std::nullopt;
  }
}

/// The class that analyzeShardKey gives a statement, by its filter alone (mongo:
/// analyze_shard_key_read_write_distribution.cpp, _incrementMetricsForQuery); std::nullopt if
/// the statement isn't routed by a key. `pins_all`: the filter compares every field of the key
/// by equality. If it does so with strings under a collation, it doesn't bound the key, because
/// equal strings may lie on several shards.
std::optional<routing_class> class_by_filter(const routing::verdict& of, bool pins_all) {
  switch (of.bounds) {
    case routing::bounds_kind::point:
      return routing_class::single_shard;
    case routing::bounds_kind::narrowed:
      return routing_class::multi_shard;
    case routing::bounds_kind::full:
      return pins_all ? routing_class::multi_shard : routing_class::scatter_gather;
    case routing::bounds_kind::none:
      break;
  }
  return std::nullopt;
}

/// Judges all commands with one key.
class key_trial {
 public:
  key_trial(const evaluation_input& input, const shard_key& key,
            const std::optional<value_statistics>& known,
            std::shared_ptr<const routing::catalog> catalog)
      : in_(input), key_(key), known_(known), judge_(std::move(catalog)) {}

  evaluation run() {
    evaluation made;
    if (in_.window) made.held_out.emplace();
    made.shapes.resize(in_.sent.rows().size());
    for (const weighted_command& each : in_.sent.commands()) {
      const bool is_held_out = in_.window && each.at && in_.window->is_held_out(*each.at);
      try_out(each, is_held_out ? *made.held_out : made.earlier, made);
    }
    return made;
  }

 private:
  void try_out(const weighted_command& one, measures& part, evaluation& to);
  [[nodiscard]] routing::verdict judged(const weighted_command& one,
                                        const wire::command& command);
  [[nodiscard]] outcome outcome_of(const weighted_command& one,
                                   const routing::verdict& verdict) const;
  [[nodiscard]] double estimate(const routing::verdict& verdict) const;
  void count(const weighted_command& one, const outcome& came, measures& in) const;
  [[nodiscard]] distribution sample(const weighted_command& one, const wire::command& command,
                                    const routing::verdict& whole);
  void sample_statement(const weighted_command& one, const routing::verdict& verdict,
                        const statement& from, distribution& in) const;

  const evaluation_input& in_;
  const shard_key& key_;
  const std::optional<value_statistics>& known_;
  digest::judge judge_;
};

void key_trial::try_out(const weighted_command& one, measures& part, evaluation& to) {
  outcome came;
  distribution sampled;
  bool is_narrowed = false;
  std::optional<wire::command> command;
  if (const auto body = wire::document_view::from(one.command)) {
    if (const auto read = wire::command_of(*body)) command = *read;
  }
  if (command) {
    const routing::verdict whole = judged(one, *command);
    routing::verdict verdict = whole;
    for (const routing::touch& each : whole.touches) {
      // Of a bulkWrite on several collections, only the statements on this collection count.
      if (whole.command == command_kind::bulk_write && each.ns() == in_.name) {
        verdict = whole.verdict_in(each);
        break;
      }
    }
    came = outcome_of(one, verdict);
    is_narrowed = verdict.bounds == routing::bounds_kind::narrowed;
    sampled = sample(one, *command, whole);
  } else {
    came.is_estimated = true;  // an insert whose documents are unknown: counts as one shard
  }
  for (measures* each : {&part, &to.all}) {
    count(one, came, *each);
    (one.is_write ? each->write_distribution : each->read_distribution).add(sampled);
  }
  shape_cost& shape = to.shapes[one.shape];
  shape.commands += one.weight;
  shape.shard_requests += came.asked * one.weight;
  if (came.is_refused) {
    shape.refused += one.weight;
  } else if (came.routing == routing_class::scatter_gather) {
    shape.scatters += one.weight;
  }
  if (came.asked >= static_cast<double>(in_.shards) &&
      (came.routing == routing_class::scatter_gather || is_narrowed)) {
    shape.everywhere += one.weight;
  }
  shape.worst = std::max(shape.worst, came.routing);
}

routing::verdict key_trial::judged(const weighted_command& one, const wire::command& command) {
  return one.is_made_up ? judge_.verdict_of_made_up(command) : judge_.verdict_of(command);
}

/// Whether an update would change the key in a way that mongos refuses.
bool changes_key_wrongly(const routing::verdict& of) {
  const auto is_so = [](routing::lint_kind lint) {
    return lint == routing::lint_kind::shard_key_update;
  };
  return is_so(of.lint) || std::ranges::any_of(of.touches, is_so, &routing::touch::lint);
}

outcome key_trial::outcome_of(const weighted_command& one,
                              const routing::verdict& verdict) const {
  outcome made;
  made.routing = verdict.routing;
  const auto all = static_cast<double>(in_.shards);
  const bool is_refused = verdict.refused != routing::refusal::none;
  if (!key_.empty() && (is_refused || changes_key_wrongly(verdict))) {
    // With made-up values, any other refusal may be caused by a made-up value.
    made.is_refused =
        !one.is_made_up || verdict.refused == routing::refusal::shard_key_not_found;
    made.routing = routing_class::scatter_gather;
    made.asked = all;
    return made;
  }
  switch (verdict.routing) {
    case routing_class::not_routed:
    case routing_class::unsharded:
      break;
    case routing_class::single_shard:
      // Each statement of a batch asks one shard, but they may be different shards.
      made.asked = std::max(1U, verdict.shards_asked().value_or(1));
      if (made.asked > 1) made.routing = routing_class::multi_shard;
      break;
    case routing_class::scatter_gather:
      made.asked = all;
      break;
    case routing_class::unknown:
    case routing_class::multi_shard:
      made.is_estimated = !verdict.shards_asked();
      made.asked = made.is_estimated ? estimate(verdict) : *verdict.shards_asked();
      break;
  }
  return made;
}

/// Estimates the number of shards for a filter that doesn't pin the whole key. A filter that
/// pins the key's first fields asks about one shard if these have many distinct values, and
/// more if they have few. Otherwise: the mean of one shard and all shards.
double key_trial::estimate(const routing::verdict& verdict) const {
  const auto all = static_cast<double>(in_.shards);
  const bool is_prefix = verdict.why == routing::reason::partial_key;
  if (is_prefix && known_ && known_->cardinality && *known_->cardinality >= 1) {
    return 1 + (all - 1) / *known_->cardinality;
  }
  return (all + 1) / 2;
}

void key_trial::count(const weighted_command& one, const outcome& came, measures& in) const {
  in.commands += one.weight;
  in.shard_requests += came.asked * one.weight;
  if (came.is_estimated) in.estimated += one.weight;
  if (came.is_refused) in.refused += one.weight;
  (one.is_write ? in.writes : in.reads).add(came.routing, one.weight);
}

/// Counts a command's statements as analyzeShardKey samples them: each statement of a batch
/// separately. `whole`: the verdict on the command. It must be the judge's latest, because the
/// next judgement invalidates it.
distribution key_trial::sample(const weighted_command& one, const wire::command& command,
                               const routing::verdict& whole) {
  distribution made;
  const command_kind kind = routing::kind_of(command.name);
  if (one.is_insert || key_.empty() || !place_of(kind, {})) return made;
  for_each_alone(command, [&](const wire::command& alone, const statement& each) {
    routing::verdict verdict = &alone == &command ? whole : judged(one, alone);
    if (kind == command_kind::bulk_write && verdict.ns() != in_.name) return;
    for (const routing::touch& touched : verdict.touches) {
      // Of an aggregation, only the part on this collection counts, not the joined collections.
      if (touched.ns() == alone.ns()) {
        verdict = verdict.verdict_in(touched);
        break;
      }
    }
    sample_statement(one, verdict, each, made);
  });
  return made;
}

void key_trial::sample_statement(const weighted_command& one, const routing::verdict& verdict,
                                 const statement& from, distribution& in) const {
  const std::uint64_t whole = (std::uint64_t{1} << key_.size()) - 1;
  const bool pins_all = ((verdict.hints.pinned | verdict.hints.voided) & whole) == whole;
  const auto routing = class_by_filter(verdict, pins_all);
  const auto place = place_of(verdict.command, from);
  if (!routing || !place) return;
  in.by_command[*place] += one.weight;
  in.classes.add(*routing, one.weight);
  if (const auto& asked = verdict.fanout; asked && !one.is_made_up) {
    in.by_range.resize(in_.shards);
    for (std::size_t i = 0; i < in_.shards && i < asked->words().size() * 64; ++i) {
      if (asked->contains(i)) in.by_range[i] += one.weight;
    }
  }
  if (!one.is_write) return;
  if (*routing != routing_class::single_shard && !pins_all) {
    (from.is_multi ? in.multi_without_key : in.single_without_key) += one.weight;
  }
  if (from.update && may_change(key_, *from.update, pinned_values(from.filter))) {
    in.key_updates += one.weight;
  }
}

/// The share of the requests that are inserts, 0 to 1.
double inserted_share(const traffic& sent) {
  double inserts = 0;
  double all = 0;
  for (const weighted_command& each : sent.commands()) {
    all += each.weight;
    if (each.is_insert) inserts += each.weight;
  }
  return all == 0 ? 0 : inserts / all;
}

/// Replaces the counts of key values by a sketch's statistics. New documents that are equal in
/// the fields before a growing field count as one value, because they all go to the same chunk.
void take_statistics(const evaluation_input& input, const shard_key& key,
                     const value_statistics& known, measures& to) {
  key_values& of = to.values;
  of.requests = to.commands;
  of.pinned = known.pinned_share * to.commands;
  of.distinct = of.least_distinct = known.cardinality.value_or(0);
  of.common.clear();
  for (const double share : known.top_shares) of.common.push_back({{}, share * to.commands});
  of.per_minute = known.per_minute_max_share;
  const auto grows = input.sent.growing_place(key);
  if (of.per_minute && grows) {
    const double in_front = *grows == 0 ? 1 : known.per_minute_of_prefix.value_or(1);
    of.per_minute = std::max(*of.per_minute, std::min(in_front, inserted_share(input.sent)));
  }
}

}  // namespace

std::optional<key_points> key_points::of(const traffic& sent, const shard_key& key) {
  key_points made{sent, key};
  for (const routing::key_field& field : key) {
    const auto number = sent.field_of(field.path);
    if (!number) return std::nullopt;
    made.numbers_.push_back(*number);
  }
  return made;
}

void key_points::for_each(
    const weighted_command& in, std::size_t fields,
    const std::function<void(std::span<const std::uint32_t>)>& visit) const {
  const auto pins = in_->pins_of(in);
  thread_local std::vector<std::vector<std::uint32_t>> values;  // static, to reuse its memory
  thread_local std::vector<std::uint32_t> point;
  values.resize(fields);
  point.resize(fields);
  for (std::size_t at = 0; at < pins.size();) {
    const std::uint32_t statement = pins[at].statement;
    for (auto& each : values) each.clear();
    for (; at < pins.size() && pins[at].statement == statement; ++at) {
      for (std::size_t i = 0; i < fields; ++i) {
        if (numbers_[i] == pins[at].field) values[i].push_back(pins[at].value);
      }
    }
    std::size_t all = 1;
    for (const auto& each : values) all *= each.size();
    for (std::size_t n = 0; n < std::min(all, most_points); ++n) {
      std::size_t rest = n;
      for (std::size_t i = 0; i < fields; ++i) {
        point[i] = values[i][rest % values[i].size()];
        rest /= values[i].size();
      }
      visit(point);
    }
  }
}

std::vector<std::vector<std::byte>> key_points::hash_bounds(std::size_t shards) const {
  std::vector<std::vector<std::byte>> made;
  const std::uint64_t width = ~std::uint64_t{0} / shards;
  for (std::size_t i = 1; i < shards; ++i) {
    const std::array<std::uint64_t, 1> begin = {width * i};
    made.push_back(bound_of(begin));
  }
  return made;
}

std::vector<std::byte> key_points::bound_of(std::span<const std::uint64_t> place) const {
  std::vector<std::byte> made;
  for (std::size_t i = 0; i < key_->size(); ++i) {
    if (i >= place.size()) {
      append(routing::encoded_min_key(), made);
    } else if ((*key_)[i].hashed) {
      append_hash(place[i], made);
    } else {
      const field_values& of = field(i);
      const std::string& encoded = of.encoded[of.by_rank[place[i]]];
      append(std::as_bytes(std::span{encoded}), made);
    }
  }
  return made;
}

std::vector<std::vector<std::byte>> key_points::bounds(
    std::size_t shards, const std::optional<time_window>& window) const {
  if ((*key_)[0].hashed) return hash_bounds(shards);
  for (std::size_t fields = std::min(size(), most_split); fields > 0; --fields) {
    std::vector<split_place> all;
    for (const weighted_command& each : in_->commands()) {
      if (window && each.at && window->is_held_out(*each.at)) continue;
      for_each(each, fields, [&](std::span<const std::uint32_t> point) {
        split_place made{};
        for (std::size_t i = 0; i < fields; ++i) {
          const field_values& of = field(i);
          made[i] = (*key_)[i].hashed
                        ? static_cast<std::uint64_t>(of.hashes[point[i]].value_or(0)) ^ sign_bit
                        : of.ranks[point[i]];
        }
        all.push_back(made);
      });
    }
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    if (all.size() < shards && fields > 1) continue;
    std::vector<std::vector<std::byte>> made;
    for (std::size_t i = 1; i < std::min(shards, all.size()); ++i) {
      const split_place& begin = all[all.size() * i / std::min(shards, all.size())];
      made.push_back(bound_of(std::span{begin}.first(fields)));
    }
    return made;
  }
  return {};
}

std::optional<evaluation> evaluate(const evaluation_input& input, const shard_key& key,
                                   const std::optional<value_statistics>& known) {
  std::vector<std::vector<std::byte>> bounds;
  const auto points = key.empty() ? std::nullopt : key_points::of(input.sent, key);
  if (points) bounds = points->bounds(input.shards, input.window);
  auto catalog = catalog_with(input.present, input.name, key, bounds, input.neighbours);
  if (catalog == nullptr) return std::nullopt;
  evaluation made = key_trial{input, key, known, std::move(catalog)}.run();
  if (points) count_values(input, *points, made);
  if (known && input.sent.counted().whole == 0) take_statistics(input, key, *known, made.all);
  if (!made.held_out) made.earlier.values = made.all.values;
  return made;
}

}  // namespace scattergate::advise
