#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace scattergate::routing {

/// Whether a shape contains the dotted path `name` unchanged. False if a component is data: a
/// number, or an ObjectId or UUID in hex, as in documents that are maps keyed by IDs.
[[nodiscard]] bool is_plain_name(std::string_view name) noexcept;

/// Compares two names in the form in which a shape contains them, bytewise: negative, zero or
/// positive.
[[nodiscard]] int compare_names(std::string_view left, std::string_view right) noexcept;

/// Writes the JSON text of a shape into a borrowed buffer, up to a size limit. The first item
/// that doesn't fit is replaced by `"...":true` (in a list: `"..."`). After that, only closing
/// brackets are written, so the text is always valid JSON.
///
/// To write an item, call member() in an object or item() in a list. If it returns true, write
/// exactly one value: scalar(), name(), or open() ... close(). Thread-safety: one thread at a
/// time.
class shape_text {
 public:
  /// The smallest limit: it has room for a truncated shape.
  static constexpr std::size_t least_bytes = 128;

  /// REQUIRES: least_bytes <= limit <= buffer.size()
  shape_text(std::span<char> buffer, std::size_t limit) noexcept
      : buffer_(buffer), limit_(limit) {}

  /// Starts a member of an object; false if it doesn't fit and the text is now truncated.
  [[nodiscard]] bool member(std::string_view name) noexcept;
  /// Starts an item of a list; false if it doesn't fit and the text is now truncated.
  [[nodiscard]] bool item() noexcept;

  /// Writes an opening bracket: '{' or '['.
  void open(char bracket) noexcept;
  /// Writes a closing bracket: '}' or ']'. There is always room for it.
  void close(char bracket) noexcept;

  /// Writes a value that is neither an object nor a list. `json`: valid JSON of at most
  /// largest_scalar bytes.
  void scalar(std::string_view json) noexcept;

  /// Writes a name as a JSON string, with placeholders for data in the name (see
  /// is_plain_name()); "?string" if the name doesn't fit.
  void name(std::string_view text) noexcept;

  /// Truncates the text at the current position, where an item could start. `in_object`:
  /// whether the position is in an object, not in a list.
  void cut(bool in_object) noexcept;
  /// Whether the text was truncated.
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

  /// The text so far; a view into the buffer.
  [[nodiscard]] std::string_view text() const noexcept { return {buffer_.data(), size_}; }

  /// The position in text() at which the next item will begin, after a comma if there is a
  /// previous item.
  [[nodiscard]] std::size_t next_item() const noexcept {
    return size_ + (needs_comma_ ? 1 : 0);
  }

  /// The maximum size of the text, in bytes.
  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
  /// Changes the maximum size of the text, in bytes.
  void set_limit(std::size_t limit) noexcept;

  /// Whether the text fits into `limit` bytes, including its closing brackets.
  [[nodiscard]] bool fits(std::size_t limit) const noexcept;

  /// A state of the text, to which rewind() can return.
  struct place {
    std::size_t size;
    std::size_t depth;
    bool needs_comma;
    bool is_cut;
  };
  /// The current state, for rewind().
  [[nodiscard]] place here() const noexcept { return {size_, depth_, needs_comma_, is_cut_}; }
  /// Discards everything written since `earlier` was taken by here().
  void rewind(const place& earlier) noexcept;

  /// The maximum size of a scalar() value, in bytes.
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
