#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "routing/catalog/catalog.hpp"
#include "telemetry/admin/admin_pages.hpp"
#include "telemetry/admin/health.hpp"
#include "telemetry/audit/audit_log.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "telemetry/sketches/sketch_book.hpp"

namespace scattergate::telemetry {

/// The settings and the catalog that replies of the API show. All of them may change while the
/// daemon runs.
struct api_facts {
  std::shared_ptr<const routing::catalog> catalog;  ///< never null
  std::string catalog_source;                       ///< the setting catalog.source
  std::string config_file;                          ///< empty: none
  std::string audit_file;                           ///< `-`: standard output; `off`: none
  std::string state_file;                           ///< empty: none
  bool is_tap_allowed = false;                      ///< whether /api/v1/tap is on (admin.tap)
  std::string grafana_link;  ///< a template of a link to Grafana (admin.grafana_link); empty:
                             ///< none
};

/// The API's sources of data. All must outlive the API.
struct api_sources {
  live_digest& digest;  ///< the table of query shapes
  const metrics_collector& metrics;
  const health& readiness;
  const condition_board& conditions;  ///< the daemon's current problems
  const audit_log& audit;
  std::function<api_facts()> facts;  ///< returns the current values; any thread may call it
  std::size_t max_shapes_bytes;      ///< size limit of a reply about shapes, in bytes; see
                                     ///< answer_room::each
  const sketch_book* sketches = nullptr;  ///< null: sketches are off
};

/// Makes the replies below /api/v1/ (docs/openapi.yaml), by path. Does no network I/O.
/// Thread-safety: any thread.
class api {
 public:
  explicit api(api_sources from);

  /// Replies to a GET of `target`, including its query; std::nullopt for an unknown path.
  [[nodiscard]] std::optional<admin_reply> answer(std::string_view target) const;

  /// The key under which requests share a reply: `target` without the parts that don't affect
  /// the reply, such as "/api/v1/status" for "/api/v1/status?a=1". A view into `target`.
  [[nodiscard]] static std::string_view cache_key(std::string_view target) noexcept;

  /// Makes the body of /api/v1/status (JSON).
  [[nodiscard]] std::string status() const;
  /// Makes the body of /api/v1/collections (JSON).
  [[nodiscard]] std::string collections() const;
  /// Makes the body of /api/v1/catalog (JSON).
  [[nodiscard]] std::string catalog() const;
  /// Makes the body of /api/v1/history (JSON).
  [[nodiscard]] std::string history() const;
  /// The daemon's overall state with its reason, for /api/v1/status and the page.
  [[nodiscard]] headline top_line() const;

  /// How far the events of /api/v1/events have come: the state at the last event.
  /// changes_since() updates it.
  struct seen {
    std::uint64_t collections = 0;            ///< collection_table::version() at the last event
    std::optional<digest::wall_time> shapes;  ///< time of the last event; empty: there was
                                              ///< none
  };
  /// Makes the JSON of one event of /api/v1/events: the status, the totals, and the collections
  /// and shapes that have changed since `last`. The first event, with a new `last`, lists no
  /// collections. Sets `last` to the current state.
  [[nodiscard]] std::string changes_since(seen& last) const;

  /// A number that increases whenever a condition (a problem of the daemon) begins or ends; for
  /// detecting changes.
  [[nodiscard]] std::uint64_t turns() const noexcept { return from_.conditions.turns(); }

 private:
  /// The body of /api/v1/status, without the final newline.
  [[nodiscard]] std::string status_at(digest::wall_time now, const api_facts& current) const;
  [[nodiscard]] headline top_line_at(digest::wall_time now,
                                     const std::vector<condition>& conditions) const;
  /// The time from which a shape counts as new: the parameter `since` of `target`, by default
  /// the daemon's start. std::nullopt if the parameter is invalid.
  [[nodiscard]] std::optional<digest::wall_time> moment_of(std::string_view target) const;
  [[nodiscard]] admin_reply shapes(std::string_view target) const;
  [[nodiscard]] std::string stored_sketches() const;
  [[nodiscard]] admin_reply shape(std::string_view hash, std::string_view target) const;

  api_sources from_;
  digest::wall_time started_at_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace scattergate::telemetry
