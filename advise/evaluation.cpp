#include "advise/evaluation.hpp"

#include <algorithm>
#include <cmath>

#include "advise/candidate_catalog.hpp"
#include "advise/statements.hpp"
#include "advise/value_shares.hpp"
#include "digest/judge.hpp"
#include "routing/command_kind.hpp"
#include "wire/command.hpp"

namespace scattergate::advise {
namespace {

using routing::command_kind;
using routing::routing_class;

/// The result for one request.
struct outcome {
  routing_class routing = routing_class::single_shard;
  double asked = 1;  ///< shards
  bool is_estimated = false;
  bool is_refused = false;
  const routing::verdict* verdict = nullptr;  ///< null: it wasn't judged
};

/// The index in a distribution's sample of commands of this kind; empty if analyzeShardKey
/// doesn't sample them.
std::optional<std::size_t> place_of(command_kind kind) noexcept {
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
    default:
      return std::nullopt;
  }
}

class key_trial {
 public:
  key_trial(const setting& in, const shard_key& key,
            const std::optional<value_statistics>& known,
            std::shared_ptr<const routing::catalog> catalog)
      : in_(in), key_(key), known_(known), judge_(std::move(catalog)) {}

  evaluation run() {
    evaluation made;
    if (in_.window) {
      made.held_out.emplace();
      for (measures* each : {&made.all, &made.earlier, &*made.held_out}) {
        each->slices.resize(time_window::slices);
      }
    }
    made.shapes.resize(in_.sent.rows().size());
    for (const request& each : in_.sent.requests()) {
      const bool is_held_out = in_.window && each.at && in_.window->is_held_out(*each.at);
      try_out(each, is_held_out ? *made.held_out : made.earlier, made);
    }
    return made;
  }

 private:
  void try_out(const request& one, measures& part, evaluation& to);
  [[nodiscard]] outcome outcome_of(const request& one, const routing::verdict& verdict) const;
  [[nodiscard]] double estimate(const routing::verdict& verdict) const;
  void count(const request& one, const outcome& came, measures& in) const;
  void count_sampled(const request& one, const outcome& came, const wire::command& command,
                     measures& in) const;
  void count_writes(const request& one, const outcome& came, const wire::command& command,
                    distribution& in) const;

  const setting& in_;
  const shard_key& key_;
  const std::optional<value_statistics>& known_;
  digest::judge judge_;
};

void key_trial::try_out(const request& one, measures& part, evaluation& to) {
  outcome came;
  std::optional<wire::command> command;
  routing::verdict verdict;
  if (const auto body = wire::document_view::from(one.command)) {
    if (const auto read = wire::command_of(*body)) command = *read;
  }
  if (command) {
    verdict = one.is_made_up ? judge_.of_made_up(*command) : judge_.of(*command);
    for (const routing::touch& each : verdict.touches) {
      // Of a bulkWrite on several collections, only the statements on this one.
      if (verdict.command == command_kind::bulk_write && each.ns() == in_.name) {
        verdict = verdict.seen_by(each);
        break;
      }
    }
    came = outcome_of(one, verdict);
  }
  for (measures* each : {&part, &to.all}) {
    count(one, came, *each);
    if (command && came.verdict != nullptr) count_sampled(one, came, *command, *each);
  }
  shape_cost& shape = to.shapes[one.shape];
  shape.commands += one.weight;
  shape.shard_requests += came.asked * one.weight;
  if (came.routing == routing_class::scatter_gather) shape.scatters += one.weight;
  shape.worst = std::max(shape.worst, came.routing);
}

outcome key_trial::outcome_of(const request& one, const routing::verdict& verdict) const {
  outcome made;
  made.verdict = &verdict;
  made.routing = verdict.routing;
  const auto all = static_cast<double>(in_.shards);
  if (verdict.refused != routing::refusal::none && !key_.empty()) {
    // Another refusal may be caused by a made-up value.
    made.is_refused =
        !one.is_made_up || verdict.refused == routing::refusal::shard_key_not_found;
    made.routing = routing_class::scatter_gather;
    made.asked = all;
    return made;
  }
  switch (verdict.routing) {
    case routing_class::not_routed:
    case routing_class::unsharded:
    case routing_class::single_shard:
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

/// One value of a partial key: about one shard if the first fields have many distinct values.
/// Otherwise the mean of one shard and all.
double key_trial::estimate(const routing::verdict& verdict) const {
  const auto all = static_cast<double>(in_.shards);
  const bool is_prefix = verdict.why == routing::reason::partial_key;
  if (is_prefix && known_ && known_->cardinality && *known_->cardinality >= 1) {
    return 1 + (all - 1) / *known_->cardinality;
  }
  return (all + 1) / 2;
}

void key_trial::count(const request& one, const outcome& came, measures& in) const {
  in.commands += one.weight;
  in.shard_requests += came.asked * one.weight;
  if (in_.window && one.at) {
    slice_cost& slice = in.slices[in_.window->slice_of(*one.at)];
    slice.commands += one.weight;
    slice.shard_requests += came.asked * one.weight;
  }
  if (came.is_estimated) in.estimated += one.weight;
  if (came.is_refused) in.refused += one.weight;
  (one.is_write ? in.writes : in.reads).add(came.routing, one.weight);
}

void key_trial::count_sampled(const request& one, const outcome& came,
                              const wire::command& command, measures& in) const {
  const auto place = place_of(came.verdict->command);
  if (!place) return;
  distribution& to = one.is_write ? in.write_distribution : in.read_distribution;
  to.by_command[*place] += one.weight * one.statements;
  if (const auto& asked = came.verdict->fanout; asked && !one.is_made_up) {
    to.by_range.resize(in_.shards);
    for (std::size_t i = 0; i < in_.shards && i < asked->words().size() * 64; ++i) {
      if (asked->contains(i)) to.by_range[i] += one.weight;
    }
  }
  if (one.is_write) return count_writes(one, came, command, to);
  to.classes.add(came.routing, one.weight);
}

void key_trial::count_writes(const request& one, const outcome& came,
                             const wire::command& command, distribution& in) const {
  class_counts mine;
  for (std::size_t i = 0; i < came.verdict->statements.size(); ++i) {
    mine.add(static_cast<routing_class>(i), came.verdict->statements[i]);
  }
  if (mine.all() == 0) mine.add(came.routing, one.statements);
  in.classes.single_shard += mine.single_shard * one.weight;
  in.classes.multi_shard += mine.multi_shard * one.weight;
  in.classes.scatter_gather += mine.scatter_gather * one.weight;
  double multi = 0;
  for_each_statement(command, [&](const statement& each) {
    if (each.is_multi) ++multi;
    if (each.update && may_change(key_, *each.update, pinned_values(each.filter))) {
      in.key_updates += one.weight;
    }
  });
  // The verdict doesn't say which statements of a batch lack the key; assumes that
  // multi-document statements do first.
  const double astray = mine.multi_shard + mine.scatter_gather;
  in.multi_without_key += std::min(astray, multi) * one.weight;
  in.single_without_key += std::max(0.0, astray - multi) * one.weight;
}

/// Replaces values counted here by a sketch's statistics.
void take_statistics(const value_statistics& known, measures& to) {
  key_values& of = to.values;
  of.requests = to.commands;
  of.pinned = to.commands;
  of.distinct = known.cardinality.value_or(0);
  of.common.clear();
  for (const double share : known.top_shares) of.common.push_back({{}, share * to.commands});
  of.per_minute = known.per_minute_max_share;
}

}  // namespace

std::optional<evaluation> evaluate(const setting& in, const shard_key& key,
                                   const std::optional<value_statistics>& known) {
  std::vector<std::vector<std::byte>> bounds;
  const auto points = key.empty() ? std::nullopt : key_points::of(in.sent, key);
  if (points) bounds = points->bounds(in.shards, in.window);
  auto catalog = catalog_with(in.present, in.name, key, bounds, in.neighbours);
  if (catalog == nullptr) return std::nullopt;
  evaluation made = key_trial{in, key, known, std::move(catalog)}.run();
  if (points) count_values(in, *points, made);
  if (known && in.sent.counted().whole == 0) take_statistics(*known, made.all);
  if (!made.held_out) made.earlier.values = made.all.values;
  return made;
}

}  // namespace scattergate::advise
