#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "config/cluster/catalog_notes.hpp"
#include "proxy/judging/pending_request.hpp"
#include "routing/command_kind.hpp"
#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// Notices when the live catalog (the one read from the cluster) may be outdated: reports
/// namespaces that commands use and the catalog doesn't list, says which commands may change
/// the catalog, and which verdicts may be wrong because of such a command. A small table of
/// recently reported namespaces makes repetitions cheap. Thread-safety: the worker's thread.
class catalog_hints {
 public:
  /// From now on, uses these notes about the live catalog. Null: there is no live catalog, and
  /// no verdict is outdated. `awaits_reads`: requests wait until the live catalog has been read
  /// again (settings::waits_for_catalog).
  void follow(std::shared_ptr<config::catalog_notes> notes, bool awaits_reads = false);

  /// Reports the namespace of a command, unless the catalog lists it. Does nothing if the
  /// namespace is in a system database or was reported recently, or if the command isn't routed
  /// to a collection.
  void note_unlisted(const routing::verdict& verdict);

  /// What a command may change in the catalog: shard keys, chunks, views, or which collections
  /// there are. Empty if it changes nothing, or if there is no live catalog.
  [[nodiscard]] std::vector<config::metadata_change> changes_by(
      const routing::verdict& verdict, const wire::command& command) const;

  /// Whether any verdict may be outdated: since the last note_read(), commands have changed the
  /// catalog. Call it for each command; it is cheap.
  [[nodiscard]] bool may_be_outdated() const noexcept {
    return notes_ != nullptr && (notes_->changes() != seen_ || !changed_.empty());
  }
  /// Whether this verdict may be outdated, because a command has changed a namespace that the
  /// judged command uses.
  [[nodiscard]] bool is_outdated(const routing::verdict& verdict);

  /// Call it when the catalog in use contains what the load with this number has read.
  void note_read(std::uint64_t number) noexcept;
  /// Whether the catalog in use contains what the load with this number has read.
  [[nodiscard]] bool has_read(std::uint64_t number) const noexcept { return read_ >= number; }

  /// Whether requests wait until the live catalog has been read again.
  [[nodiscard]] bool awaits_reads() const noexcept { return awaits_reads_; }
  /// Call it when a request has waited too long for a load.
  void note_late() noexcept { is_late_ = true; }
  /// Whether note_late() was called after the last note_read().
  [[nodiscard]] bool is_late() const noexcept { return is_late_; }

 private:
  void take_changes();

  std::shared_ptr<config::catalog_notes> notes_;
  std::uint64_t seen_ = 0;  // number of changes that were taken over
  std::uint64_t read_ = 0;  // the last load that note_read() was called for
  std::vector<config::metadata_change> changed_;  // changes that the catalog in use may lack
  bool awaits_reads_ = false;
  bool is_late_ = false;
  // Hashes of recently reported namespaces; each is at the index hash % size.
  std::array<std::size_t, 256> recent_{};
};

/// Whether a verdict that is based on an outdated catalog may be too good: its class is
/// `unsharded`, or one that promises fewer shards than all.
[[nodiscard]] bool may_be_too_good(routing::routing_class routing) noexcept;

/// Copies into a command's pending_request what is needed when the command completes: parts of
/// the verdict, and the metric labels of the command's namespaces. Reports namespaces that the
/// live catalog (the one read from the cluster) doesn't list.
class verdict_notes {
 public:
  explicit verdict_notes(telemetry::worker_metrics& metrics) noexcept : metrics_(metrics) {}

  /// Copies the verdict on a command into `pending`, and reports unlisted namespaces.
  void note(const wire::command& command, const routing::verdict& verdict,
            pending_request& pending);

  /// Counts a command as `unknown` instead of its class, because the catalog by which it was
  /// judged may be outdated. Does the same with its statements. REQUIRES: note() was called for
  /// the command.
  void note_outdated(pending_request& pending) noexcept;

  /// Notices when the catalog may be outdated.
  [[nodiscard]] catalog_hints& hints() noexcept { return hints_; }

  /// Stores the namespace of a finding (a command to report) in `pending`. Call it only if the
  /// finding is in another namespace than the command's own. `verdict`: the verdict in the
  /// finding's namespace.
  void note_finding_namespace(const routing::verdict& verdict, pending_request& pending);

 private:
  void note_namespace(const routing::verdict& verdict, pending_request& pending);
  void note_statements(const routing::verdict& verdict, pending_request& pending);
  [[nodiscard]] std::optional<telemetry::namespace_id> label_of(
      const routing::verdict& verdict) const;

  telemetry::worker_metrics& metrics_;
  catalog_hints hints_;
};

}  // namespace scattergate::proxy
