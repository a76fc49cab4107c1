#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "telemetry/counters/worker_metrics.hpp"

namespace scattergate::proxy {

/// What to do next with the unread bytes of one direction.
struct step {
  enum class verb : std::uint8_t {
    need,     ///< nothing until `bytes` are there; then ask again
    forward,  ///< pass the first `bytes` on to the other side
    drop,     ///< skip the first `bytes`
    inject,   ///< pass `injected` on to the client; then ask again (replies only)
    wait,     ///< nothing until a reply has come; then ask again (requests only)
    await,    ///< nothing until awaited() is over; then on_over() (requests only)
    hold,     ///< nothing until its throttle lets it on, or held_until() is past; then
              ///< on_held() (requests only)
    close,    ///< end the connection for `reason`
  };
  verb what = verb::need;
  std::size_t bytes = 0;
  std::span<const std::byte> injected;
  telemetry::close_reason reason{};

  [[nodiscard]] static constexpr step need(std::size_t bytes) noexcept {
    return {verb::need, bytes, {}, {}};
  }
  [[nodiscard]] static constexpr step forward(std::size_t bytes) noexcept {
    return {verb::forward, bytes, {}, {}};
  }
  [[nodiscard]] static constexpr step drop(std::size_t bytes) noexcept {
    return {verb::drop, bytes, {}, {}};
  }
  [[nodiscard]] static constexpr step inject(std::span<const std::byte> message) noexcept {
    return {verb::inject, 0, message, {}};
  }
  [[nodiscard]] static constexpr step wait() noexcept { return {verb::wait, 0, {}, {}}; }
  [[nodiscard]] static constexpr step hold() noexcept { return {verb::hold, 0, {}, {}}; }
  [[nodiscard]] static constexpr step await() noexcept { return {verb::await, 0, {}, {}}; }
  [[nodiscard]] static constexpr step close_for(telemetry::close_reason reason) noexcept {
    return {verb::close, 0, {}, reason};
  }
};

}  // namespace scattergate::proxy
