#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "telemetry/counters/worker_metrics.hpp"

namespace scattergate::proxy {

/// An instruction of session_fsm (a connection's state machine) to its session, for one
/// direction: what to do with the unread bytes, or what to wait for. Small enough to be
/// returned in two registers.
struct step {
  /// What the session must do.
  enum class verb : std::uint8_t {
    need,     ///< wait until there are `bytes` unread bytes, then ask for the next step
    forward,  ///< send the first `bytes` unread bytes to the other socket
    drop,     ///< discard the first `bytes` unread bytes
    inject,   ///< send injected() to the client, then ask for the next step (replies only)
    wait,     ///< wait until a reply has arrived, then ask for the next step (requests only)
    await,    ///< run session_fsm::awaited() on another thread, then call on_awaited()
              ///< (requests only)
    hold,     ///< wait for the throttle, or for the live catalog: call on_held() once
              ///< session_fsm::held_until() returns std::nullopt (requests only)
    close,    ///< close the connection for `reason`
  };
  verb what = verb::need;            ///< what the session must do
  telemetry::close_reason reason{};  ///< for `close`
  std::uint32_t bytes = 0;           ///< for `need`, `forward`, `drop`: see `verb`; for
                                     ///< `inject`: the size of injected()
  const std::byte* first_injected = nullptr;  ///< for `inject`: the start of injected(); not
                                              ///< owned

  /// For `inject`: scattergate's own reply, valid until the fsm injects the next one.
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
