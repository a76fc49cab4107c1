#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "proxy/judging/pending_request.hpp"
#include "proxy/judging/rejection.hpp"
#include "proxy/judging/request_accounting.hpp"
#include "proxy/judging/request_view.hpp"
#include "proxy/settings.hpp"

namespace scattergate::proxy {

/// Makes the decisions on requests that must wait for a throttle (the rate limiter of a rule):
/// first to wait, later to forward or to reject. Each worker has one object of this class.
class throttling {
 public:
  /// `waker` wakes the worker when a throttle admits a request.
  throttling(telemetry::worker_metrics& metrics, request_accounting& accounting, reply_ids& ids,
             throttle::waker& waker)
      : metrics_(metrics), accounting_(accounting), ids_(ids), waker_(waker) {
    spare_.reserve(max_spare);
  }

  /// The worker's waker. A throttle calls it when a request of this worker is admitted, is
  /// displaced by another client's request, or becomes first in the queue.
  [[nodiscard]] throttle::waker& waker() const noexcept { return waker_; }

  /// The throttle of a rule; null if the rule doesn't throttle, or is a dry run. REQUIRES:
  /// `rule` is one of the settings' rules.
  [[nodiscard]] static std::shared_ptr<throttle> throttle_of(const settings& current,
                                                             const config::rule& rule) noexcept;

  /// The decision that a request must wait for `limiter`, the throttle of `rule`. The result
  /// keeps `current` alive, and so the rule, even if a reload replaces the settings. `pending`:
  /// the request. `is_unanswered`: the client expects no reply.
  [[nodiscard]] inspection hold(const std::shared_ptr<const settings>& current,
                                const config::rule& rule, std::shared_ptr<throttle> limiter,
                                std::unique_ptr<pending_request> pending, bool is_unanswered);

  /// The decision to forward a request that its throttle has admitted. The request occupies a
  /// slot of the throttle until it has completed.
  [[nodiscard]] inspection admit(const request_view& request,
                                 std::unique_ptr<held_request> held);

  /// The decision to reject a request that its throttle refuses. `why`: the throttle's reason.
  /// A request whose client expects no reply is dropped.
  [[nodiscard]] inspection refuse(const request_view& request,
                                  std::unique_ptr<held_request> held, throttle_refusal why);

  /// Returns the pending request in `held`. hold() reuses the emptied `held`.
  [[nodiscard]] std::unique_ptr<pending_request> release(
      std::unique_ptr<held_request> held) noexcept;

 private:
  static constexpr std::size_t max_spare = 64;

  telemetry::worker_metrics& metrics_;
  request_accounting& accounting_;
  reply_ids& ids_;
  throttle::waker& waker_;
  std::vector<std::unique_ptr<held_request>> spare_;  // has capacity for max_spare
};

}  // namespace scattergate::proxy
