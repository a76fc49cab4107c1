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
#include "telemetry/sketches/sketch_book.hpp"

namespace scattergate::telemetry {

/// Settings and the catalog, all of which may change while the daemon runs.
struct api_facts {
  std::shared_ptr<const routing::catalog> catalog;
  std::string catalog_source;
  std::string config_file;  ///< empty: none
  std::string audit_file;
  std::string state_file;  ///< empty: none
  bool is_tap_allowed = false;
  std::string grafana_link;  ///< a template; empty: none
};

/// The API's sources of data. All must outlive the API.
struct api_sources {
  live_digest& digest;
  const metrics_collector& metrics;
  const health& readiness;
  const condition_board& conditions;
  const audit_log& audit;
  std::function<api_facts()> facts;  ///< returns the current values; any thread may call it
  std::size_t max_shapes_bytes;      ///< size limit of a reply about shapes, in bytes; see
                                     ///< answer_room::each
  const sketch_book* sketches = nullptr;  ///< null: there are none
};

/// Makes the replies below /api/v1/ (docs/openapi.yaml), by path. Does no network I/O.
/// Thread-safety: any thread.
class api {
 public:
  explicit api(api_sources from);

  /// Replies to a GET of `target`, including its query; std::nullopt for an unknown path.
  [[nodiscard]] std::optional<admin_reply> answer(std::string_view target) const;

  /// The cache key of a target: `target` without the parts that don't affect the reply.
  [[nodiscard]] static std::string_view cache_key(std::string_view target) noexcept;

  /// The body of /api/v1/status.
  [[nodiscard]] std::string status() const;
  /// The body of /api/v1/collections.
  [[nodiscard]] std::string collections() const;
  /// The body of /api/v1/catalog.
  [[nodiscard]] std::string catalog() const;
  /// The body of /api/v1/history.
  [[nodiscard]] std::string history() const;
  /// The headline of /api/v1/status and of the page.
  [[nodiscard]] headline top_line() const;

  /// The state of the digest at the last event; changes_since() updates it.
  struct seen {
    std::uint64_t collections = 0;            ///< collection_table::version()
    std::optional<digest::wall_time> shapes;  ///< time of the last event, if any
  };
  /// Builds the JSON of one event of /api/v1/events: the status, the totals, and the
  /// collections and shapes that have changed since `last`. Sets `last` to the current state.
  [[nodiscard]] std::string changes_since(seen& last) const;

  /// The number of times that a condition began or ended; see condition_board::turns().
  [[nodiscard]] std::uint64_t turns() const noexcept { return from_.conditions.turns(); }

 private:
  /// The body of /api/v1/status, without the final newline.
  [[nodiscard]] std::string status_at(digest::wall_time now, const api_facts& current) const;
  [[nodiscard]] headline top_line_at(digest::wall_time now,
                                     const std::vector<condition>& conditions) const;
  /// The time from which on a shape counts as new: the parameter `since` of `target`, or by
  /// default the daemon's start. std::nullopt if the parameter is invalid.
  [[nodiscard]] std::optional<digest::wall_time> moment_of(std::string_view target) const;
  [[nodiscard]] admin_reply shapes(std::string_view target) const;
  [[nodiscard]] std::string stored_sketches() const;
  [[nodiscard]] admin_reply shape(std::string_view hash, std::string_view target) const;

  api_sources from_;
  digest::wall_time started_at_;
};

}  // namespace scattergate::telemetry
