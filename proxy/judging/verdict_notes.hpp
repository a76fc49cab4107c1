#pragma once

#include "proxy/judging/catalog_hints.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/settings.hpp"
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
  /// `current`: the settings by which the command was judged.
  void note(const settings& current, const wire::command& command,
            const routing::verdict& verdict, pending_request& pending);

  /// Stores the namespace of a finding (a command to report) in `pending`. Call it only if the
  /// finding is in another namespace than the command's own. `verdict`: the verdict in the
  /// finding's namespace.
  void note_finding_namespace(const routing::verdict& verdict, pending_request& pending);

 private:
  void note_namespace(const settings& current, const routing::verdict& verdict,
                      pending_request& pending);
  void note_statements(const routing::verdict& verdict, pending_request& pending);
  [[nodiscard]] std::optional<telemetry::namespace_id> label_of(
      const routing::verdict& verdict) const;

  telemetry::worker_metrics& metrics_;
  catalog_hints hints_;
};

}  // namespace scattergate::proxy
