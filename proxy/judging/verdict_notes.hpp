#pragma once

#include "proxy/judging/catalog_hints.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/settings.hpp"
#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// What of a verdict is remembered until the command completes, under which namespaces it will
/// count, and what a live catalog is told of these.
class verdict_notes {
 public:
  explicit verdict_notes(telemetry::worker_metrics& metrics) noexcept : metrics_(metrics) {}

  /// Notes the verdict on a command in `pending`.
  void note(const settings& in, const wire::command& command, const routing::verdict& verdict,
            pending_request& pending);

  /// Notes the namespace of a finding that isn't the command's own: it gets its label as that
  /// does.
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
