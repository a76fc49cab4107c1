#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "routing/catalog/catalog.hpp"
#include "telemetry/admin/admin_pages.hpp"
#include "telemetry/admin/api_headline.hpp"
#include "telemetry/admin/health.hpp"
#include "telemetry/audit/audit_log.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// What a reload may change, as it is now.
struct api_facts {
  std::shared_ptr<const routing::catalog> catalog;
  std::string catalog_source;
  std::string config_file;  ///< empty: none
  std::string audit_file;
  std::string state_file;  ///< empty: none
  bool is_tap_allowed = false;
  std::string grafana_link;  ///< a template; empty: none
};

/// Who knows what the API tells. All must outlive it.
struct api_sources {
  live_digest& digest;
  const metrics_collector& metrics;
  const health& readiness;
  const condition_board& conditions;
  const audit_log& audit;
  std::function<api_facts()> facts;
  std::size_t max_shapes_bytes;  ///< of an answer about shapes: answer_room::each
};

/// What is answered below /api/v1/ (docs/openapi.yaml), path by path; no sockets.
/// Thread-safety: any thread.
class api {
 public:
  explicit api(api_sources from);

  /// The answer to a GET of `target`, with its query; nothing where there is no such path.
  [[nodiscard]] std::optional<admin_reply> answer(std::string_view target) const;

  /// A target whose answer is the same: without what has no part in it.
  [[nodiscard]] static std::string_view same_as(std::string_view target) noexcept;

  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string collections() const;
  [[nodiscard]] std::string catalog() const;
  [[nodiscard]] std::string past() const;
  /// How things are, as the status says it.
  [[nodiscard]] headline top_line() const;

  /// Moves on from call to call: what of the digest has changed since `last` (an event of
  /// /api/v1/events).
  struct seen {
    std::uint64_t collections = 0;
    std::optional<digest::wall_time> shapes;
  };
  [[nodiscard]] std::string changes_since(seen& last) const;

  /// condition_board::turns()
  [[nodiscard]] std::uint64_t turns() const noexcept { return from_.conditions.turns(); }

 private:
  /// The object of /api/v1/status, without its end of line.
  [[nodiscard]] std::string status_at(digest::wall_time now, const api_facts& current) const;
  [[nodiscard]] headline top_line_at(digest::wall_time now,
                                     const std::vector<condition>& conditions) const;
  /// Since when a shape is new, as `target` asks; nothing where that is no time.
  [[nodiscard]] std::optional<digest::wall_time> moment_of(std::string_view target) const;
  [[nodiscard]] admin_reply shapes(std::string_view target) const;
  [[nodiscard]] admin_reply shape(std::string_view hash, std::string_view target) const;

  api_sources from_;
  digest::wall_time started_at_;
};

}  // namespace scattergate::telemetry
