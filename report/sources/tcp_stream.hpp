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
    bool begins = false;       ///< SYN, which counts as one byte
    std::span<const std::byte> bytes;
  };

  /// What a stream turns out to be.
  enum class content : std::uint8_t { unknown, messages, tls, foreign };

  /// Takes a segment; the messages that are whole now can be had by next().
  void take(const segment& one);

  /// Whether a segment begins another connection than the one that is known.
  [[nodiscard]] bool is_another(const segment& one) const noexcept {
    const bool is_same = knows_beginning_ && one.number == beginning_;
    return one.begins && knows_number_ && !is_same;
  }

  /// Nothing more comes: what waits behind gaps counts, the gaps are lost.
  void end();

  /// The next whole message, valid until the next call of anything; empty where there is none.
  [[nodiscard]] std::span<const std::byte> next();

  [[nodiscard]] content what() const noexcept { return what_; }

  /// Gaps, and cut messages, since it was asked last.
  [[nodiscard]] std::uint64_t take_losses() noexcept;

  /// Memory held.
  [[nodiscard]] std::size_t held_bytes() const noexcept {
    return buffer_.capacity() + ahead_bytes_ + ahead_.size() * piece_bytes;
  }

  /// Gives up on the message that is cut, if there is one.
  void lose_rest() noexcept;

 private:
  using pieces = std::map<std::uint64_t, std::vector<std::byte>>;

  /// What a piece takes beside its bytes.
  static constexpr std::size_t piece_bytes = 128;

  void keep_ahead(std::uint64_t at, std::span<const std::byte> bytes);
  void deliver(std::span<const std::byte> bytes);
  void take_ahead();
  void skip_gap();
  void lose() noexcept;
  void forget_used();
  void make_room(std::size_t bytes);
  void find_out();

  std::uint64_t at_ = 0;  ///< of the next byte; its lower half is TCP's number
  std::uint32_t beginning_ = 0;
  bool knows_beginning_ = false;
  bool knows_number_ = false;
  bool is_aligned_ = false;  ///< the buffer begins with a message
  content what_ = content::unknown;
  pieces ahead_;  ///< what waits behind a gap
  std::size_t ahead_bytes_ = 0;
  std::vector<std::byte> buffer_;
  std::size_t used_ = 0;  ///< of the buffer, by messages that next() gave
  std::uint64_t losses_ = 0;
};

}  // namespace scattergate::report
