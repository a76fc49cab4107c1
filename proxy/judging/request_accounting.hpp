#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "proxy/judging/inspection.hpp"
#include "proxy/judging/pending_queue.hpp"
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
  clock::time_point at;
  bool was_answered = false;  ///< mongos or scattergate has replied; false: no reply will come,
                              ///< or the connection has ended
  wire::reply_facts facts;    ///< the reply's contents
};

/// Counts a worker's requests when they complete: in metrics, by shape, and as findings. Also
/// applies what their replies change: the client's identity, and the open cursors.
/// Thread-safety: the worker's thread.
class request_accounting {
 public:
  /// The arguments must outlive this object. `tap` receives copies of completed commands.
  request_accounting(telemetry::worker_metrics& metrics, telemetry::shape_table& shapes,
                     telemetry::account& account, telemetry::live_tap& tap);

  void apply_settings(std::shared_ptr<const settings> settings) noexcept {
    settings_ = std::move(settings);
  }

  /// Takes a cleared request from the pool. Return it with give_back() after it has completed.
  [[nodiscard]] std::unique_ptr<pending_request> new_request() { return pool_.take(); }
  void give_back(std::unique_ptr<pending_request> request) noexcept {
    pool_.give_back(std::move(request));
  }

  /// Counts a completed request. If a request gets several replies (exhaust), call it for each
  /// of them; only the first call counts the request.
  void complete(pending_request& request, const completion& how,
                const inspected_connection& connection);

  /// Counts a request to which the client expects no reply, and returns it to the pool. Returns
  /// the decision `how`, without a pending request.
  [[nodiscard]] inspection complete_unanswered(const request_view& request,
                                               std::unique_ptr<pending_request> pending,
                                               disposition how);

  /// Hands over the shapes' counts to the telemetry::account, as long as it has room. Returns
  /// whether all of them were handed over.
  bool flush_shapes();
  /// Hands over all counts to the telemetry::account, even if it has no room. Call it before
  /// the worker ends.
  void flush_last_shapes();

  /// Evicts metric labels and shapes that had no commands for limits.quiet. Returns whether it
  /// evicted any.
  [[nodiscard]] bool evict_quiet(clock::time_point now);

 private:
  static void follow_cursors(const pending_request& request, const completion& how,
                             const inspected_connection& connection);
  void count_command(pending_request& request, const completion& how, client_identity& client);
  void count_statements(const pending_request& request, telemetry::namespace_id ns,
                        const completion& how, const client_identity& client);
  [[nodiscard]] telemetry::namespace_id namespace_of(std::string_view name,
                                                     const pending_request& request,
                                                     const completion& how,
                                                     const client_identity& client);
  void count_finding(const pending_request& request, telemetry::namespace_id ns,
                     const completion& how, const client_identity& client);
  void count_shape(pending_request& request, const telemetry::shape_ending& ending,
                   const completion& how, client_identity& client);
  void push_to_tap(const pending_request& request, std::chrono::nanoseconds duration,
                   const completion& how, const client_identity& client);
  [[nodiscard]] bool may_be_named(const pending_request& request,
                                  const telemetry::shape_details& details) const noexcept;
  [[nodiscard]] telemetry::shape_table::ticket place_of(pending_request& request,
                                                        const completion& how,
                                                        const client_identity& client);

  telemetry::worker_metrics& metrics_;
  telemetry::shape_table& shapes_;
  telemetry::account& account_;
  telemetry::live_tap& tap_;
  std::shared_ptr<const settings> settings_;
  pending_pool pool_;
};

}  // namespace scattergate::proxy
