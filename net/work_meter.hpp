#pragma once

#include <cstdint>

namespace scattergate::net {

/// What one thread's loop has done, in units of about a nanosecond, told by those who do what
/// takes long. It bounds a turn without a look at the clock, and alike on every machine.
class work_meter {
 public:
  void charge(std::uint64_t units) noexcept { done_ += units; }
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }

  void begin_turn() noexcept { turn_end_ = done_ + turn_units; }
  /// Whether so much was done in this turn that the rest waits for the next.
  [[nodiscard]] bool is_turn_over() const noexcept { return done_ >= turn_end_; }

  /// A turn: 2 ms, and what began before it was over.
  static constexpr std::uint64_t turn_units = 2'000'000;
  /// What one connection may do before others have their turn.
  static constexpr std::uint64_t slice_units = 500'000;

  // What is done elsewhere than in this process's own loops, each time.
  static constexpr std::uint64_t steps_in_a_row = 200'000;  ///< reads and writes, under TLS
  static constexpr std::uint64_t opening = 40'000;  ///< accepting, and connecting to mongos
  static constexpr std::uint64_t closing = 30'000;
  static constexpr std::uint64_t handshake = 1'000'000;
  static constexpr std::uint64_t unpacking = 6;   ///< a byte, of a message in one go
  static constexpr std::uint64_t following = 10;  ///< a step, of a request as it passes

  /// Reading so many bytes from a socket, and passing them on; under TLS they are also
  /// decrypted and encrypted.
  [[nodiscard]] static constexpr std::uint64_t passing(std::uint64_t bytes,
                                                       bool is_tls) noexcept {
    return is_tls ? bytes : bytes / 4;
  }

 private:
  std::uint64_t done_ = 0;
  std::uint64_t turn_end_ = turn_units;
};

}  // namespace scattergate::net
