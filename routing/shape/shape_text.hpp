#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace scattergate::routing {

/// Whether `name` reads the same in a shape: no component of the dotted path is data (a number,
/// an ObjectId or a UUID in hex), as where a map is keyed by ids.
[[nodiscard]] bool is_plain_name(std::string_view name) noexcept;

/// The order of two names as they read in a shape, byte by byte: negative, zero, positive.
[[nodiscard]] int compare_names(std::string_view left, std::string_view right) noexcept;

/// Writes the JSON text of a shape into a borrowed buffer and never beyond its limit: where the
/// next item has no room, `"...":true` (in a list: `"..."`) takes its place, nothing but
/// closing brackets comes after it, and the text is valid JSON still.
///
/// An item is begun by member() or item(); where that returns true exactly one value follows:
/// scalar(), name(), or open() ... close().
class shape_text {
 public:
  /// The least limit: room for a cut shape.
  static constexpr std::size_t least_bytes = 128;

  /// REQUIRES: least_bytes <= limit <= buffer.size()
  shape_text(std::span<char> buffer, std::size_t limit) noexcept
      : buffer_(buffer), limit_(limit) {}

  [[nodiscard]] bool member(std::string_view name) noexcept;
  [[nodiscard]] bool item() noexcept;

  void open(char bracket) noexcept;
  void close(char bracket) noexcept;

  /// A value that is JSON as it stands, of at most largest_scalar bytes.
  void scalar(std::string_view json) noexcept;

  /// A name as a string, its data components replaced; "?string" where it has no room.
  void name(std::string_view text) noexcept;

  /// Ends the text here, where an item could have begun.
  void cut(bool in_object) noexcept;
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

  [[nodiscard]] std::string_view text() const noexcept { return {buffer_.data(), size_}; }

  /// Where the text of the next item will begin, behind its comma.
  [[nodiscard]] std::size_t next_item() const noexcept {
    return size_ + (needs_comma_ ? 1 : 0);
  }

  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
  void set_limit(std::size_t limit) noexcept;

  /// Whether what is written, once closed, fits `limit`.
  [[nodiscard]] bool fits(std::size_t limit) const noexcept;

  /// A place to go back to: forgets what was written since.
  struct place {
    std::size_t size;
    std::size_t depth;
    bool needs_comma;
    bool is_cut;
  };
  [[nodiscard]] place here() const noexcept { return {size_, depth_, needs_comma_, is_cut_}; }
  void back_to(const place& earlier) noexcept;

  static constexpr std::size_t largest_scalar = 40;

 private:
  [[nodiscard]] bool begin(bool in_object, std::string_view name) noexcept;
  [[nodiscard]] std::size_t closing_bytes() const noexcept;
  [[nodiscard]] bool put(std::string_view text) noexcept;
  [[nodiscard]] bool put_name(std::string_view name) noexcept;
  [[nodiscard]] bool put_escaped(std::string_view text) noexcept;

  std::span<char> buffer_;
  std::size_t limit_;
  std::size_t size_ = 0;
  std::size_t depth_ = 0;  // open brackets
  bool needs_comma_ = false;
  bool is_cut_ = false;
};

}  // namespace scattergate::routing
