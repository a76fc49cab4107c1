#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "proxy/judging/pending_request.hpp"
#include "proxy/judging/request_view.hpp"
#include "proxy/settings.hpp"
#include "telemetry/accounts/account.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/shapes/shape_table.hpp"
#include "telemetry/tap/live_tap.hpp"
#include "wire/reply_scan.hpp"

namespace scattergate::proxy {

/// How a request ended.
struct completion {
  clock::time_point at;       ///< when the request ended
  bool was_answered = false;  ///< mongos or scattergate has replied; false: no reply will come,
                              ///< or the connection has ended
  wire::reply_facts facts;    ///< the reply's contents; unset without a reply
};

/// Counts a worker's requests when they complete: in metrics, by shape, and as findings. Also
/// updates the client's identity and the table of open cursors, which replies may change.
/// Thread-safety: the worker's thread.
class request_accounting {
 public:
  /// The arguments must outlive this object. `tap` receives copies of completed commands.
  request_accounting(telemetry::worker_metrics& metrics, telemetry::shape_table& shapes,
                     telemetry::account& account, telemetry::live_tap& tap);

  /// Replaces the settings.
  void apply_settings(std::shared_ptr<const settings> settings) noexcept {
    settings_ = std::move(settings);
  }

  /// Takes an empty request from the worker's pool. Return it with give_back() when it has
  /// completed.
  [[nodiscard]] std::unique_ptr<pending_request> new_request() { return pool_.take(); }
  /// Clears a completed request and returns it to the worker's pool.
  void give_back(std::unique_ptr<pending_request> request) noexcept {
    pool_.give_back(std::move(request));
  }

  /// Counts a completed request. If a request gets several replies (exhaust), call this
  /// function for each reply; only the first call counts the request.
  void complete(pending_request& request, const completion& completed,
                const inspected_connection& connection);

  /// Counts a request to which the client expects no reply, and returns `pending` to the
  /// worker's pool. Returns an inspection with `outcome` and without a pending request.
  [[nodiscard]] inspection complete_unanswered(const request_view& request,
                                               std::unique_ptr<pending_request> pending,
                                               disposition outcome);

  /// Hands over the counts by shape to the telemetry::account (the counts of all workers), as
  /// long as it has room. Returns whether all counts were handed over.
  bool flush_shapes();
  /// Hands over all counts by shape to the telemetry::account, even if it has no room. Call it
  /// before the worker ends.
  void flush_last_shapes();

  /// Evicts shapes that had no commands for the time limits.quiet, and releases the metric
  /// labels that the daemon evicts. Returns whether it evicted or released any.
  [[nodiscard]] bool evict_quiet(clock::time_point now);

 private:
  static void follow_cursors(const pending_request& request, const completion& completed,
                             const inspected_connection& connection);
  void note_changes(pending_request& request, const completion& completed,
                    const client_identity& client);
  void count_command(pending_request& request, const completion& completed,
                     client_identity& client);
  void count_statements(const pending_request& request, telemetry::namespace_id ns,
                        const completion& completed, const client_identity& client);
  [[nodiscard]] telemetry::namespace_id namespace_of(std::string_view name,
                                                     const pending_request& request,
                                                     const completion& completed,
                                                     const client_identity& client);
  void forget_finding(pending_request& request);
  void count_finding(const pending_request& request, telemetry::namespace_id ns,
                     const completion& completed, const client_identity& client);
  void count_shape(pending_request& request, const telemetry::shape_ending& ending,
                   const completion& completed, client_identity& client);
  void push_to_tap(const pending_request& request, std::chrono::nanoseconds duration,
                   const completion& completed, const client_identity& client);
  [[nodiscard]] bool may_be_named(const pending_request& request,
                                  const telemetry::shape_details& details) const noexcept;
  [[nodiscard]] telemetry::shape_table::ticket place_of(pending_request& request,
                                                        const completion& completed,
                                                        const client_identity& client);

  telemetry::worker_metrics& metrics_;
  telemetry::shape_table& shapes_;
  telemetry::account& account_;
  telemetry::live_tap& tap_;
  std::shared_ptr<const settings> settings_;
  pending_pool pool_;
};

}  // namespace scattergate::proxy
