#pragma once

#include <cstdint>

namespace scattergate::net {

/// Counts the work that an event loop has done, in units of about a nanosecond. Code reports
/// the estimated cost of its expensive parts, so that turns are limited without reading the
/// clock, and identically on every machine.
class work_meter {
 public:
  /// Adds the cost of work that was done or begins.
  void charge(std::uint64_t units) noexcept { done_ += units; }
  /// All work charged since the loop was made.
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }

  /// Starts a turn, which may do another turn_units of work.
  void begin_turn() noexcept { turn_end_ = done_ + turn_units; }
  /// Whether this turn's limit is reached; further work must wait for the next turn.
  [[nodiscard]] bool is_turn_over() const noexcept { return done_ >= turn_end_; }

  /// The limit of a turn, about 2 ms. Work that started below it may finish.
  static constexpr std::uint64_t turn_units = 2'000'000;
  /// The work that one connection may do, about 0.5 ms, before others run.
  static constexpr std::uint64_t slice_units = 500'000;

  // Estimated costs of work in the kernel and in libraries.
  static constexpr std::uint64_t steps_in_a_row = 200'000;  ///< up to 64 reads and writes, with
                                                            ///< TLS
  static constexpr std::uint64_t accept_cost = 40'000;  ///< accepting, and connecting to mongos
  static constexpr std::uint64_t close_cost = 30'000;   ///< closing a session's sockets
  static constexpr std::uint64_t handshake_cost = 1'000'000;  ///< a TLS handshake with a client
  /// Per byte of a message unpacked in one go.
  static constexpr std::uint64_t unpack_cost_per_byte = 6;
  static constexpr std::uint64_t stream_cost_per_step = 10;  ///< per step of a request that
                                                             ///< streams through

  /// The cost of forwarding `bytes` from one socket to another. `is_tls`: with decryption or
  /// encryption.
  [[nodiscard]] static constexpr std::uint64_t forward_cost(std::uint64_t bytes,
                                                            bool is_tls) noexcept {
    return is_tls ? bytes : bytes / 4;
  }

 private:
  std::uint64_t done_ = 0;
  std::uint64_t turn_end_ = turn_units;
};

}  // namespace scattergate::net
