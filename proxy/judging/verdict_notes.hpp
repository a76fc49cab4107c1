#pragma once

#include "proxy/judging/catalog_hints.hpp"
#include "proxy/judging/pending_request.hpp"
#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

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
