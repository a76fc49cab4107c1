#include "telemetry/metrics/worker_totals.hpp"

#include <utility>

#include "routing/command_kind.hpp"
#include "routing/verdict.hpp"

namespace scattergate::telemetry {
namespace {

constexpr double nanoseconds_per_second = 1e9;

std::string_view command_label(std::size_t kind) {
  return routing::name_of(static_cast<routing::command_kind>(kind));
}

bool breaks_framing(std::size_t error) {
  return error <= static_cast<std::size_t>(wire::wire_errc::not_tls);
}

}  // namespace

void worker_totals::add_namespace(namespace_id id, const namespace_labels& labels) {
  blocks_.clear();
  merged_histogram<fanout_bounds> fanout;
  merged_marks<routing::command_kind_count> kinds;
  for (const auto& worker : workers_) {
    const namespace_cells* block = worker->blocks_[id].get();
    if (block == nullptr) continue;
    blocks_.push_back(block);
    fanout.add(block->fanout);
    kinds.add(block->commands);
  }
  if (blocks_.empty()) return;
  collect_exemplars();
  kinds.for_each([&](std::size_t kind) {
    opened_.clear();
    for (const namespace_cells* block : blocks_) {
      const command_cells* cells = block->by_command[kind].get();
      if (cells != nullptr) opened_.push_back(cells);
    }
    add_command(labels, kind);
    add_findings(labels, kind);
  });
  if (!fanout.is_empty()) {
    to_.add(metric::fanout_shards, fanout, 1,
            {{"db", labels.database}, {"collection", labels.collection}});
  }
}

void worker_totals::collect_exemplars() {
  exemplars_.clear();
  if (!to_.supports_exemplars()) return;
  for (const namespace_cells* block : blocks_) {
    block->exemplars.for_each([&](const exemplar& one) { exemplars_.push_back(one); });
  }
}

std::optional<exemplar_view> worker_totals::exemplar_of(std::uint32_t series) const {
  const exemplar* best = nullptr;
  for (const exemplar& each : exemplars_) {
    const bool is_its = each.series == series;
    if (is_its && (best == nullptr || each.is_better_than(*best))) best = &each;
  }
  return best == nullptr ? std::nullopt : std::optional{view_of(*best, 1)};
}

exemplar_view worker_totals::view_of(const exemplar& one, double unit) {
  return {one.trace, one.shape_hash, static_cast<double>(one.value) / unit,
          static_cast<double>(one.unix_millis) / 1e3};
}

void worker_totals::add_command(const namespace_labels& labels, std::size_t kind) {
  for (std::size_t routing = 0; routing < routing::routing_class_count; ++routing) {
    std::uint64_t commands = 0;
    std::uint64_t statements = 0;
    for (const command_cells* cells : opened_) {
      commands += cells->commands[routing].get();
      statements += cells->statements[routing].get();
    }
    const auto add = [&](metric id, std::uint64_t value) {
      if (value == 0) return;
      to_.add(id, value,
              {{"db", labels.database},
               {"collection", labels.collection},
               {"command", command_label(kind)},
               {"routing", label(static_cast<routing::routing_class>(routing))}});
    };
    add(metric::commands, commands);
    add(metric::statements, statements);
  }
}

void worker_totals::add_findings(const namespace_labels& labels, std::size_t kind) {
  merged_marks<routing::cause_count> causes;
  for (const command_cells* cells : opened_) {
    if (const finding_cells* findings = cells->findings.get()) causes.add(findings->causes);
  }
  causes.for_each([&](std::size_t why) {
    for (std::size_t action = 0; action < finding_action_count; ++action) {
      add_finding(labels, kind, why, action);
    }
  });
}

void worker_totals::add_finding(const namespace_labels& labels, std::size_t kind,
                                std::size_t why, std::size_t action) {
  std::uint64_t total = 0;
  for (const command_cells* cells : opened_) {
    const finding_cells* findings = cells->findings.get();
    if (findings != nullptr) total += findings->by_cause[why][action].get();
  }
  if (total == 0) return;
  const auto one = exemplar_of(finding_series(kind, why, action));
  to_.add(row_of(metric::findings), static_cast<double>(total),
          {{"db", labels.database},
           {"collection", labels.collection},
           {"command", command_label(kind)},
           {"reason", label(routing::cause::numbered(why))},
           {"action", label(static_cast<finding_action>(action))}},
          one ? &*one : nullptr);
}

std::vector<rule_total> worker_sums::rules(std::vector<std::string> names) const {
  std::vector<rule_total> totals(names.size());
  for (std::size_t id = 0; id < names.size(); ++id) {
    totals[id].name = std::move(names[id]);
    for (const auto& worker : workers_) {
      const rule_cells* const cells = worker->rule_blocks_[id].get();
      if (cells == nullptr) continue;
      for (std::size_t hit = 0; hit < rule_hit_count; ++hit) {
        totals[id].by_hit[hit] += cells->by_hit[hit].get();
      }
    }
  }
  return totals;
}

void worker_totals::add_rule_hits(std::vector<std::string> names) {
  for (const rule_total& rule : worker_sums{workers_}.rules(std::move(names))) {
    for (std::size_t hit = 0; hit < rule_hit_count; ++hit) {
      if (rule.by_hit[hit] == 0) continue;
      to_.add(metric::rule_hits, rule.by_hit[hit],
              {{"rule", rule.name}, {"action", label(static_cast<rule_hit>(hit))}});
    }
  }
}

/// The best exemplar of all workers, for each bucket.
worker_totals::scatter_exemplars worker_totals::scatters_of(std::size_t kind) const {
  scatter_exemplars best;
  for (std::size_t bucket = 0; bucket < best.size(); ++bucket) {
    std::optional<exemplar> kept;
    for (const auto& worker : workers_) {
      const duration_exemplars* const cells = worker->scatters_[kind].get();
      const auto one = cells == nullptr ? std::nullopt : (*cells)[bucket].read();
      if (one && (!kept || one->is_better_than(*kept))) kept = one;
    }
    if (kept) best[bucket] = view_of(*kept, nanoseconds_per_second);
  }
  return best;
}

/// Adds only the pairs of command and code that occurred: a series for each pair would be too
/// many.
void worker_totals::add_errors() {
  for (std::size_t kind = 0; kind < routing::command_kind_count; ++kind) {
    for (std::size_t place = 0; place < error_places; ++place) {
      const std::uint64_t errors = sum([&](const worker_metrics& worker) -> const cell& {
        return worker.errors_[kind][place];
      });
      if (errors == 0) continue;
      to_.add(metric::command_errors, errors,
              {{"command", command_label(kind)}, {"code_name", error_name(place)}});
    }
  }
}

void worker_totals::add_durations() {
  for (std::size_t kind = 0; kind < routing::command_kind_count; ++kind) {
    for (std::size_t routing = 0; routing < routing::routing_class_count; ++routing) {
      merged_histogram<reply_bounds_ns> durations;
      for (const auto& worker : workers_) durations.add(worker->durations_[kind][routing]);
      if (durations.is_empty()) continue;
      const bool is_scatter =
          routing == static_cast<std::size_t>(routing::routing_class::scatter_gather);
      to_.add(metric::command_duration, durations, nanoseconds_per_second,
              {{"command", command_label(kind)},
               {"routing", label(static_cast<routing::routing_class>(routing))}},
              is_scatter && to_.supports_exemplars() ? scatters_of(kind) : scatter_exemplars{});
    }
  }
  merged_histogram<inspect_bounds_ns> inspect;
  for (const auto& worker : workers_) inspect.add(worker->inspect_);
  to_.add(metric::inspect, inspect, nanoseconds_per_second);
}

void worker_totals::add_connections() {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    to_.add(metric::worker_connections, workers_[i]->connections_open.get(),
            {{"worker", std::to_string(i)}});
  }
  for (std::size_t i = 0; i < close_reason_count; ++i) {
    const std::uint64_t closed =
        sum([i](const worker_metrics& worker) -> const cell& { return worker.closed_[i]; });
    to_.add(metric::connections_closed, closed,
            {{"reason", label(static_cast<close_reason>(i))}});
  }
}

void worker_totals::add_unread() {
  // Reasons of the fixed lists are added even at zero, so that rate() sees the first increase.
  // Index 0 means no error.
  for (std::size_t i = 1; i < wire::wire_errc_count; ++i) {
    const std::string_view reason = label(static_cast<wire::wire_errc>(i));
    const std::uint64_t errors = sum(
        [i](const worker_metrics& worker) -> const cell& { return worker.wire_errors_[i]; });
    const std::uint64_t uninspected = sum(
        [i](const worker_metrics& worker) -> const cell& { return worker.uninspected_[i]; });
    if (breaks_framing(i) || errors != 0) {
      to_.add(metric::wire_errors, errors, {{"reason", reason}});
    }
    if (!breaks_framing(i) || uninspected != 0) {
      to_.add(metric::uninspected_messages, uninspected, {{"reason", reason}});
    }
  }
}

std::uint64_t worker_sums::namespace_overflow() const {
  std::uint64_t total = 0;
  for (const auto& worker : workers_) total += worker->namespace_overflow_.get();
  return total;
}

}  // namespace scattergate::telemetry
