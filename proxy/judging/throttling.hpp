#pragma once

#include <memory>

#include "proxy/judging/inspection.hpp"
#include "proxy/judging/rejection.hpp"
#include "proxy/judging/request_accounting.hpp"
#include "proxy/judging/request_view.hpp"
#include "proxy/settings.hpp"

namespace scattergate::proxy {

/// The desk for requests that wait until a throttle lets them on: holds them, admits them,
/// refuses them.
class throttling {
 public:
  /// `waker` wakes who waits when a throttle lets somebody on.
  throttling(telemetry::worker_metrics& metrics, request_accounting& accounting, reply_ids& ids,
             throttle::waker& waker) noexcept
      : metrics_(metrics), accounting_(accounting), ids_(ids), waker_(waker) {}

  [[nodiscard]] throttle::waker& waker() const noexcept { return waker_; }

  /// The throttle of a rule of `in`; null where the rule holds no command up.
  [[nodiscard]] static std::shared_ptr<throttle> throttle_of(const settings& in,
                                                             const config::rule& rule) noexcept;

  /// Holds a request up, which keeps the settings that its rule is of.
  [[nodiscard]] static inspection hold(const std::shared_ptr<const settings>& in,
                                       const config::rule& rule, std::shared_ptr<throttle> by,
                                       std::unique_ptr<pending_request> pending,
                                       bool is_unanswered);

  /// What becomes of a request that its throttle has let on.
  [[nodiscard]] inspection admit(const request_view& request, inspection held);

  /// What becomes of one that it doesn't let on, because of `why`.
  [[nodiscard]] inspection refuse(const request_view& request, inspection held,
                                  throttle_refusal why);

 private:
  telemetry::worker_metrics& metrics_;
  request_accounting& accounting_;
  reply_ids& ids_;
  throttle::waker& waker_;
};

}  // namespace scattergate::proxy
