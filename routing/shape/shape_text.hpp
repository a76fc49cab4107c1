#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace scattergate::routing {

/// Whether a shape writes `name` unchanged, because no component of the dotted path is data (a
/// number, an ObjectId or a UUID in hex), such as a key of a map keyed by IDs.
[[nodiscard]] bool is_plain_name(std::string_view name) noexcept;

/// Compares two names bytewise, as a shape writes them: negative, zero or positive.
[[nodiscard]] int compare_names(std::string_view left, std::string_view right) noexcept;

/// Writes the JSON text of a shape into a borrowed buffer, up to a size limit. The first item
/// that doesn't fit is replaced by `"...":true` (in a list: `"..."`), and only closing brackets
/// follow, so the text is always valid JSON.
///
/// member() or item() starts an item; if it returns true, exactly one value must follow:
/// scalar(), name(), or open() ... close().
class shape_text {
 public:
  /// The minimum of the limit: room for a truncated shape.
  static constexpr std::size_t least_bytes = 128;

  /// REQUIRES: least_bytes <= limit <= buffer.size()
  shape_text(std::span<char> buffer, std::size_t limit) noexcept
      : buffer_(buffer), limit_(limit) {}

  [[nodiscard]] bool member(std::string_view name) noexcept;
  [[nodiscard]] bool item() noexcept;

  void open(char bracket) noexcept;
  void close(char bracket) noexcept;

  /// Writes a value, as JSON text of at most largest_scalar bytes.
  void scalar(std::string_view json) noexcept;

  /// Writes a name as a string, with data components replaced; "?string" if it doesn't fit.
  void name(std::string_view text) noexcept;

  /// Truncates the text here. REQUIRES: an item could start here.
  void cut(bool in_object) noexcept;
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

  [[nodiscard]] std::string_view text() const noexcept { return {buffer_.data(), size_}; }

  /// The position at which the next item's text will start, after its comma.
  [[nodiscard]] std::size_t next_item() const noexcept {
    return size_ + (needs_comma_ ? 1 : 0);
  }

  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
  void set_limit(std::size_t limit) noexcept;

  /// Whether the text, including closing brackets, fits into `limit` bytes.
  [[nodiscard]] bool fits(std::size_t limit) const noexcept;

  /// A position in the text, for back_to(), which discards everything after it.
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
