#include "telemetry/metrics/worker_totals.hpp"

#include <array>

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
  std::vector<const namespace_cells*> blocks;
  merged_histogram<fanout_bounds> fanout;
  for (const auto& worker : workers_) {
    const namespace_cells* block = worker->blocks_[id].get();
    if (block == nullptr) continue;
    blocks.push_back(block);
    fanout.add(block->fanout);
  }
  if (blocks.empty()) return;
  for (std::size_t kind = 0; kind < routing::command_kind_count; ++kind) {
    opened_.clear();
    for (const namespace_cells* block : blocks) {
      const command_cells* cells = block->by_command[kind].get();
      if (cells != nullptr) opened_.push_back(cells);
    }
    if (opened_.empty()) continue;
    add_command(labels, kind);
    add_findings(labels, kind);
  }
  if (!fanout.is_empty()) {
    to_.add(metric::fanout_shards, fanout, 1,
            {{"db", labels.database}, {"collection", labels.collection}});
  }
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
  std::array<std::array<std::uint64_t, finding_action_count>, routing::cause_count> totals{};
  bool any = false;
  for (const command_cells* cells : opened_) {
    const finding_cells* findings = cells->findings.get();
    if (findings == nullptr) continue;
    any = true;
    for (std::size_t why = 0; why < routing::cause_count; ++why) {
      for (std::size_t action = 0; action < finding_action_count; ++action) {
        totals[why][action] += findings->by_cause[why][action].get();
      }
    }
  }
  if (!any) return;
  for (std::size_t why = 0; why < routing::cause_count; ++why) {
    for (std::size_t action = 0; action < finding_action_count; ++action) {
      if (totals[why][action] == 0) continue;
      to_.add(metric::findings, totals[why][action],
              {{"db", labels.database},
               {"collection", labels.collection},
               {"command", command_label(kind)},
               {"reason", label(routing::cause::numbered(why))},
               {"action", label(static_cast<finding_action>(action))}});
    }
  }
}

void worker_totals::add_durations() {
  for (std::size_t kind = 0; kind < routing::command_kind_count; ++kind) {
    for (std::size_t routing = 0; routing < routing::routing_class_count; ++routing) {
      merged_histogram<reply_bounds_ns> durations;
      for (const auto& worker : workers_) durations.add(worker->durations_[kind][routing]);
      if (durations.is_empty()) continue;
      to_.add(metric::command_duration, durations, nanoseconds_per_second,
              {{"command", command_label(kind)},
               {"routing", label(static_cast<routing::routing_class>(routing))}});
    }
  }
  merged_histogram<inspect_bounds_ns> inspect;
  for (const auto& worker : workers_) inspect.add(worker->inspect_);
  to_.add(metric::inspect, inspect, nanoseconds_per_second);
}

void worker_totals::add_closed() {
  for (std::size_t i = 0; i < close_reason_count; ++i) {
    const std::uint64_t closed =
        sum([i](const worker_metrics& worker) -> const cell& { return worker.closed_[i]; });
    to_.add(metric::connections_closed, closed,
            {{"reason", label(static_cast<close_reason>(i))}});
  }
}

void worker_totals::add_unread() {
  // The closed lists start at zero, so that rate() sees the first one; 0 is no error.
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

std::uint64_t worker_totals::namespace_overflow() const {
  return sum(
      [](const worker_metrics& worker) -> const cell& { return worker.namespace_overflow_; });
}

}  // namespace scattergate::telemetry
