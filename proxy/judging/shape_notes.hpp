#pragma once

#include <memory>

#include "proxy/judging/judged_subject.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/judging/rule_decisions.hpp"
#include "proxy/judging/verdict_notes.hpp"
#include "proxy/policy.hpp"
#include "telemetry/shapes/shape_table.hpp"

namespace scattergate::proxy {

/// Computes the shapes of a worker's commands (a shape is a command without its values), and
/// looks up each shape's place in the shape_table, the worker's counts by shape. Collects the
/// details of a shape that has no place yet.
class shape_notes {
 public:
  shape_notes(telemetry::worker_metrics& metrics, telemetry::shape_table& shapes,
              const rule_counts& rules, verdict_notes& verdicts) noexcept
      : metrics_(metrics), shapes_(shapes), rules_(rules), verdicts_(verdicts) {}

  /// Stores the place of the command's shape in `pending`. If the shape has no place, stores
  /// the shape's details (pending_request::fresh), from which request_accounting makes a place.
  /// For a finding, also stores the facts that the audit log needs. Commands of strangers
  /// (clients that aren't known to be authenticated) share one place, if they are no findings
  /// and not on a collection. `memory`: scratch memory for the shape.
  void note(const judged_subject& what, const decision& decided, pending_request& pending,
            routing::scratch& memory);

 private:
  void note_finding(const judged_subject& what, const decision& decided,
                    pending_request& pending);
  static void note_sender(const judged_subject& what, pending_request& pending);
  [[nodiscard]] std::uint64_t hash_of(const judged_subject& what, routing::scratch& memory);
  [[nodiscard]] const telemetry::shard_ids& ids_of_shards(const judged_subject& what);
  [[nodiscard]] telemetry::shape_details details_of(const judged_subject& what,
                                                    const decision& decided,
                                                    const telemetry::shape_key& key);

  telemetry::worker_metrics& metrics_;
  telemetry::shape_table& shapes_;
  const rule_counts& rules_;
  verdict_notes& verdicts_;
  telemetry::shard_ids ids_of_shards_;                  // the shards' names, for findings
  std::shared_ptr<const routing::catalog> ids_are_of_;  // the catalog that they are from
};

}  // namespace scattergate::proxy
