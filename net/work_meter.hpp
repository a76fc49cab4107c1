#pragma once

#include <cstdint>

namespace scattergate::net {

/// Limits the work of an event loop in one turn (one pass over the ready sockets). Counts work
/// in units of about a nanosecond. Code reports estimated costs instead of reading the clock,
/// so the limits are identical on every machine.
class work_meter {
 public:
  /// Adds the cost of work that has been done or is about to start.
  void charge(std::uint64_t units) noexcept { done_ += units; }
  /// The sum of all charges since this meter was created.
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }

  /// Starts a turn, with a limit of `turn_units`.
  void begin_turn() noexcept { turn_end_ = done_ + turn_units; }
  /// Whether the current turn's limit is reached. Further work must then wait for the next
  /// turn.
  [[nodiscard]] bool is_turn_over() const noexcept { return done_ >= turn_end_; }

  /// The limit of a turn's work, about 2 ms. Work that started below the limit may finish.
  static constexpr std::uint64_t turn_units = 2'000'000;
  /// The work that one connection may do before other connections run, about 0.5 ms.
  static constexpr std::uint64_t slice_units = 500'000;

  // Estimated costs of work in the kernel and in libraries.
  /// The cost of a connection's run: up to 64 reads and writes in a row, with TLS.
  static constexpr std::uint64_t steps_in_a_row = 200'000;
  static constexpr std::uint64_t accept_cost = 40'000;  ///< accepting a client, and connecting
                                                        ///< to mongos
  static constexpr std::uint64_t close_cost = 30'000;   ///< closing a session's sockets
  static constexpr std::uint64_t handshake_cost = 1'000'000;  ///< a TLS handshake with a client
  /// The cost of decompressing a message in one call, per decompressed byte.
  static constexpr std::uint64_t unpack_cost_per_byte = 6;
  /// The cost of one parsing step of a large request that is forwarded while it arrives.
  static constexpr std::uint64_t stream_cost_per_step = 10;

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
