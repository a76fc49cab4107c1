#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "telemetry/counters/worker_metrics.hpp"

namespace scattergate::proxy {

/// What to do next with the unread bytes of one direction. Small enough to be returned in two
/// registers.
struct step {
  enum class verb : std::uint8_t {
    need,     ///< nothing until `bytes` are there; then ask again
    forward,  ///< pass the first `bytes` on to the other side
    drop,     ///< skip the first `bytes`
    inject,   ///< pass injected() on to the client; then ask again (replies only)
    wait,     ///< nothing until a reply has come; then ask again (requests only)
    await,    ///< nothing until awaited() is over; then on_over() (requests only)
    hold,     ///< nothing until its throttle lets it on, or held_until() is past; then
              ///< on_held() (requests only)
    close,    ///< end the connection for `reason`
  };
  verb what = verb::need;
  telemetry::close_reason reason{};
  std::uint32_t bytes = 0;  ///< of `inject`: those of injected()
  const std::byte* first_injected = nullptr;

  [[nodiscard]] constexpr std::span<const std::byte> injected() const noexcept {
    return {first_injected, first_injected == nullptr ? 0 : bytes};
  }

  [[nodiscard]] static constexpr step need(std::size_t bytes) noexcept {
    return {verb::need, {}, static_cast<std::uint32_t>(bytes)};
  }
  [[nodiscard]] static constexpr step forward(std::size_t bytes) noexcept {
    return {verb::forward, {}, static_cast<std::uint32_t>(bytes)};
  }
  [[nodiscard]] static constexpr step drop(std::size_t bytes) noexcept {
    return {verb::drop, {}, static_cast<std::uint32_t>(bytes)};
  }
  [[nodiscard]] static constexpr step inject(std::span<const std::byte> message) noexcept {
    return {verb::inject, {}, static_cast<std::uint32_t>(message.size()), message.data()};
  }
  [[nodiscard]] static constexpr step wait() noexcept { return {verb::wait}; }
  [[nodiscard]] static constexpr step hold() noexcept { return {verb::hold}; }
  [[nodiscard]] static constexpr step await() noexcept { return {verb::await}; }
  [[nodiscard]] static constexpr step close_for(telemetry::close_reason reason) noexcept {
    return {verb::close, reason};
  }
};
static_assert(sizeof(step) == 16);

}  // namespace scattergate::proxy
