#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace scattergate::report {

/// One direction of a TCP connection, as a capture has it: segments in any order, twice, with
/// gaps, from the middle on. Gives MongoDB's messages, each whole. A gap costs the messages
/// that lie in it: behind it, the stream goes on where the length of the cut message says that
/// the next one begins, else at the next bytes that begin a message.
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

  /// The peer has received every byte before `number`: what the capture doesn't have of them is
  /// lost. The messages that are whole now can be had by next().
  void acknowledge(std::uint32_t number);

  /// Whether a segment begins another connection than the one that is known.
  [[nodiscard]] bool is_another(const segment& one) const noexcept {
    const bool is_same = knows_beginning_ && one.number == beginning_;
    return one.begins && knows_number_ && !is_same;
  }

  /// Nothing more comes: what waits behind gaps counts, the gaps and a cut message are lost.
  void end();

  /// The next whole message, valid until the next call of anything; empty where there is none.
  [[nodiscard]] std::span<const std::byte> next();

  [[nodiscard]] content what() const noexcept { return what_; }

  /// Gaps, and cut messages, since it was asked last.
  [[nodiscard]] std::uint64_t take_losses() noexcept;

  /// Bytes that the capture has, and that it lacks.
  struct byte_counts {
    std::uint64_t seen = 0;
    std::uint64_t missing = 0;
  };
  [[nodiscard]] byte_counts counts() const noexcept { return counts_; }

  /// Memory held.
  [[nodiscard]] std::size_t held_bytes() const noexcept {
    return buffer_.capacity() + ahead_bytes_ + ahead_.size() * piece_bytes;
  }

 private:
  using pieces = std::map<std::uint64_t, std::vector<std::byte>>;

  /// What a piece takes beside its bytes.
  static constexpr std::size_t piece_bytes = 128;

  void keep_ahead(std::uint64_t at, std::span<const std::byte> bytes);
  void deliver(std::span<const std::byte> bytes);
  void take_ahead();
  void skip_gap(std::uint64_t to);
  void lose_message(std::uint64_t gap);
  void find_messages();
  [[nodiscard]] bool find_start();
  void drop(std::size_t bytes);
  [[nodiscard]] std::span<const std::byte> cut_message() const noexcept {
    return std::span{buffer_}.subspan(whole_);
  }
  [[nodiscard]] bool is_ours() const noexcept {
    return what_ == content::unknown || what_ == content::messages;
  }
  void forget_used();
  void make_room(std::size_t bytes);
  void find_out();

  std::uint64_t at_ = 0;  ///< of the next byte; its lower half is TCP's number
  std::uint32_t beginning_ = 0;
  bool knows_beginning_ = false;
  bool knows_number_ = false;
  bool is_aligned_ = false;         ///< the cut message begins with its header
  std::uint64_t left_of_lost_ = 0;  ///< bytes of a lost message that are still to come
  content what_ = content::unknown;
  pieces ahead_;  ///< what waits behind a gap
  std::size_t ahead_bytes_ = 0;
  std::vector<std::byte> buffer_;  ///< whole messages, then a cut one
  std::size_t used_ = 0;           ///< of the buffer, by messages that next() gave
  std::size_t whole_ = 0;          ///< of the buffer, by whole messages
  std::uint64_t losses_ = 0;
  byte_counts counts_;
};

}  // namespace scattergate::report
