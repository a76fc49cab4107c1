#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace scattergate::report {

/// Reassembles one direction of a captured TCP connection into complete MongoDB messages.
/// Accepts segments in any order, duplicates, gaps and a missing start. Messages cut by a gap
/// are lost. If the cut message's length is known, reading continues at the next message.
/// Otherwise it continues at the next bytes that look like a message.
class tcp_stream {
 public:
  /// A TCP segment of this direction.
  struct segment {
    std::uint32_t number = 0;          ///< TCP sequence number of the first byte
    bool begins = false;               ///< has the flag SYN, which takes one sequence number
    std::span<const std::byte> bytes;  ///< the payload; may be empty
  };

  /// The detected content of a stream; foreign: neither MongoDB's messages nor TLS.
  enum class content : std::uint8_t { unknown, messages, tls, foreign };

  /// Adds a segment. Afterwards next() returns the messages that are complete.
  void receive(const segment& one);

  /// Call it when the other side has acknowledged all bytes before `number` (a TCP sequence
  /// number). If some of them are still missing, they are lost. Afterwards next() returns the
  /// messages that are complete.
  void acknowledge(std::uint32_t number);

  /// Whether a segment begins a new connection between the same addresses and ports.
  [[nodiscard]] bool is_another(const segment& one) const noexcept {
    const bool is_same = knows_beginning_ && one.number == beginning_;
    return one.begins && knows_number_ && !is_same;
  }

  /// Ends the stream. Missing bytes and a cut message are lost. Afterwards next() returns the
  /// complete messages after the gaps.
  void finish();

  /// The next complete message, valid until the next call of any member; empty if there is
  /// none.
  [[nodiscard]] std::span<const std::byte> next();

  /// The content detected so far.
  [[nodiscard]] content what() const noexcept { return what_; }

  /// Returns the number of gaps and cut messages since the last call of take_losses().
  [[nodiscard]] std::uint64_t take_losses() noexcept;

  /// Numbers of bytes.
  struct byte_counts {
    std::uint64_t seen = 0;     ///< captured bytes
    std::uint64_t missing = 0;  ///< bytes in gaps
  };
  /// The counts since the connection began.
  [[nodiscard]] byte_counts counts() const noexcept { return counts_; }

  /// Memory held, in bytes.
  [[nodiscard]] std::size_t held_bytes() const noexcept {
    return buffer_.capacity() + ahead_bytes_ + ahead_.size() * piece_bytes;
  }

 private:
  using pieces = std::map<std::uint64_t, std::vector<std::byte>>;

  /// Overhead of a segment besides its bytes.
  static constexpr std::size_t piece_bytes = 128;

  void keep_ahead(std::uint64_t at, std::span<const std::byte> bytes);
  void deliver(std::span<const std::byte> bytes);
  void join_ahead();
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
  void detect_content();

  std::uint64_t at_ = 0;  ///< position of the next byte; its lower half is the TCP number
  std::uint32_t beginning_ = 0;
  bool knows_beginning_ = false;
  bool knows_number_ = false;
  bool is_aligned_ = false;         ///< the buffer begins at a message header
  std::uint64_t left_of_lost_ = 0;  ///< remaining bytes of a lost message
  content what_ = content::unknown;
  pieces ahead_;  ///< segments after a gap
  std::size_t ahead_bytes_ = 0;
  std::vector<std::byte> buffer_;  ///< complete messages, then a cut one
  std::size_t used_ = 0;           ///< bytes of the buffer returned by next()
  std::size_t whole_ = 0;          ///< bytes of the buffer in complete messages
  std::uint64_t losses_ = 0;
  byte_counts counts_;
};

}  // namespace scattergate::report
