#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace scattergate::report {

/// One direction of a TCP connection, as a capture has it: segments in any order, twice, with
/// gaps, from the middle on. Gives MongoDB's messages, each whole; after a gap it begins again
/// with a segment that begins with a message.
class tcp_stream {
 public:
  struct segment {
    std::uint32_t number = 0;  ///< of its first byte, as TCP counts
    bool begins = false;       ///< SYN
    std::span<const std::byte> bytes;
  };

  /// What a stream turns out to be.
  enum class content : std::uint8_t { unknown, messages, tls, foreign };

  /// Takes a segment; the messages that are whole now can be had by next().
  void take(const segment& one);

  /// Nothing more comes: what waits behind a gap counts, the gap is lost.
  void end();

  /// The next whole message, valid until the next call of anything; empty where there is none.
  [[nodiscard]] std::span<const std::byte> next();

  [[nodiscard]] content what() const noexcept { return what_; }

  /// Gaps, and cut messages, since it was asked last.
  [[nodiscard]] std::uint64_t take_losses() noexcept;

  /// Bytes held.
  [[nodiscard]] std::size_t held_bytes() const noexcept {
    return buffer_.size() + ahead_bytes_;
  }

  /// Gives up on what it holds.
  void lose() noexcept;

 private:
  void deliver(std::span<const std::byte> bytes);
  [[nodiscard]] std::map<std::uint32_t, std::vector<std::byte>>::iterator nearest();
  void take_ahead();
  void skip_gap();
  void find_out();

  std::uint32_t next_number_ = 0;
  bool knows_number_ = false;
  bool is_aligned_ = false;  ///< the buffer begins with a message
  content what_ = content::unknown;
  std::map<std::uint32_t, std::vector<std::byte>>
      ahead_;  ///< by number: what waits behind a gap
  std::size_t ahead_bytes_ = 0;
  std::vector<std::byte> buffer_;
  std::size_t used_ = 0;  ///< of the buffer, by messages that next() gave
  std::uint64_t losses_ = 0;
};

}  // namespace scattergate::report
