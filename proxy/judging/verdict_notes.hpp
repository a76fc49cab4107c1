#pragma once

#include "proxy/judging/catalog_hints.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/settings.hpp"
#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// Determines what to remember of a verdict until the command completes: the namespaces it
/// counts under, and what a live catalog should know about them.
class verdict_notes {
 public:
  explicit verdict_notes(telemetry::worker_metrics& metrics) noexcept : metrics_(metrics) {}

  /// Records the verdict on a command in `pending`.
  void note(const settings& in, const wire::command& command, const routing::verdict& verdict,
            pending_request& pending);

  /// Records the namespace of a finding if it isn't the command's own; it gets its label in the
  /// same way.
  void note_finding_namespace(const routing::verdict& verdict, pending_request& pending);

 private:
  void note_namespace(const settings& in, const routing::verdict& verdict,
                      pending_request& pending);
  void note_statements(const routing::verdict& verdict, pending_request& pending);
  [[nodiscard]] std::optional<telemetry::namespace_id> label_of(
      const routing::verdict& verdict) const;

  telemetry::worker_metrics& metrics_;
  catalog_hints hints_;
};

}  // namespace scattergate::proxy
