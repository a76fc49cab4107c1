#pragma once

#include "proxy/judging/catalog_hints.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/settings.hpp"
#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// Stores the parts of a verdict that are needed when the command completes: the namespaces
/// that it counts under. Reports unlisted namespaces to the live catalog.
class verdict_notes {
 public:
  explicit verdict_notes(telemetry::worker_metrics& metrics) noexcept : metrics_(metrics) {}

  /// Stores the verdict on a command in `pending`.
  void note(const settings& in, const wire::command& command, const routing::verdict& verdict,
            pending_request& pending);

  /// Stores the namespace of a finding in `pending`, if it isn't the command's own.
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
