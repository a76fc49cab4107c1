#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "wire/bson.hpp"
#include "wire/endian.hpp"

namespace scattergate::wire {

/// An incremental parser of one BSON document. Takes the document's bytes in pieces of any
/// size, and stores none. Calls a visitor for each field. The visitor chooses which nested
/// documents to enter, up to `Depth` levels including the outermost document. The parser passes
/// on all other values without interpreting them. A visitor has these functions:
///
///     void begin_document(std::uint32_t length);  // the outermost, or an entered document
///     void begin_field();                         // type() is known; the name follows
///     void take_name(std::span<const std::byte> piece);  // without the closing NUL
///     bool enters();     // the name is complete; true: enter the value, a document or array
///     bool take_length(std::uint32_t length);     // a value's length prefix; false: invalid
///     void take_value(std::span<const std::byte> piece);  // without the length prefix
///     void end_value();
///     void end_document();
template <std::size_t Depth>
class bson_stream {
 public:
  /// Starts a document. `room`: the maximum size of the document, in bytes.
  void begin(std::size_t room) noexcept {
    depth_ = length_bytes_ = 0;
    // `+ 1`: the document is treated as nested in another document, whose NUL needs a byte.
    left_ = static_cast<std::uint32_t>(std::min(room, limits::max_message_bytes) + 1);
    next_ = part::document_length;
  }

  /// Parses the next bytes, up to the document's end or an error, and removes them from the
  /// front of `bytes`. Calls `to`, the visitor. Returns the number of parsing steps, as a
  /// measure of the cost: one for each type, name, length and piece of a value.
  template <typename Visitor>
  std::size_t feed(std::span<const std::byte>& bytes, Visitor& to) {
    std::size_t steps = 0;
    for (; !bytes.empty(); ++steps) {
      switch (next_) {
        case part::document_length:
          if (gather_length(bytes)) open(to);
          break;
        case part::type:
          take_type(bytes, to);
          break;
        case part::name:
          take_name(bytes, to);
          break;
        case part::value_length:
          if (gather_length(bytes)) begin_counted(to);
          break;
        case part::value:
          take_value(bytes, to);
          break;
        case part::strings:
          take_string(bytes, to);
          break;
        case part::ended:
        case part::broken:
          return steps;
      }
    }
    return steps;
  }

  /// Whether the document goes on: neither its end nor an error has been found.
  [[nodiscard]] bool is_open() const noexcept { return next_ < part::ended; }
  /// Whether the document has ended, and the lengths of the document and of all entered
  /// documents were correct.
  [[nodiscard]] bool has_ended() const noexcept { return next_ == part::ended; }

  /// The type of the current field.
  [[nodiscard]] bson_type type() const noexcept { return type_; }

 private:
  // Invariants, for the innermost open document:
  //   - left_ counts its unclaimed bytes, its closing NUL included. Bytes are claimed (pay())
  //     before they are consumed, and a claim must leave at least one byte for that NUL.
  //   - For each open ancestor, outer_ has the value of left_ after its open child has ended.
  //   - A type byte of 0 ends the document; then left_ must be 0.
  //
  // Example: {a: {b: 1}} with an int32, 20 bytes, whose visitor enters `a`.
  //
  //   input            left_  outer_[0]
  //   20 (length)      16
  //   3 (document)     15
  //   "a" NUL          13
  //   12 (length)       8     1          12 < 13; one byte follows the child: the parent's NUL
  //   16 (int32)        7     1
  //   "b" NUL           5     1
  //   1 (value)         1     1
  //   0                 1                the child had 0 left: it ends, left_ = outer_[0]
  //   0                 0                the document ends
  // clang-format off
  enum class part : std::uint8_t {
    document_length, type, name, value_length, value, strings, ended, broken,
  };
  // clang-format on

  /// Reads a length into length_; true once all its bytes have arrived.
  [[nodiscard]] bool gather_length(std::span<const std::byte>& bytes) noexcept {
    if (length_bytes_ == 0 && bytes.size() >= sizeof length_) {
      length_ = load_little<std::uint32_t>(bytes.data());
      bytes = bytes.subspan(sizeof length_);
      return true;
    }
    if (length_bytes_ == 0) length_ = 0;
    length_ |= std::to_integer<std::uint32_t>(bytes.front()) << (8U * length_bytes_++);
    bytes = bytes.subspan(1);
    if (length_bytes_ != sizeof length_) return false;
    length_bytes_ = 0;
    return true;
  }

  /// Enters the document whose length has been read. Leaves room for the parent's NUL.
  template <typename Visitor>
  void open(Visitor& to) {
    if (length_ < limits::min_document_bytes || length_ >= left_ || depth_ == Depth)
      return fail();
    if (depth_ != 0) outer_[depth_ - 1] = left_ - length_;
    ++depth_;
    left_ = length_ - static_cast<std::uint32_t>(sizeof length_);
    next_ = part::type;
    to.begin_document(length_);
  }

  template <typename Visitor>
  void take_type(std::span<const std::byte>& bytes, Visitor& to) {
    type_ = static_cast<bson_type>(bytes.front());
    bytes = bytes.subspan(1);
    --left_;
    if (type_ == bson_type{}) return close(to);
    if (left_ == 0) return fail();
    next_ = part::name;
    to.begin_field();
  }

  template <typename Visitor>
  void close(Visitor& to) {
    if (left_ != 0) return fail();
    --depth_;
    next_ = depth_ == 0 ? part::ended : part::type;
    if (depth_ != 0) left_ = outer_[depth_ - 1];
    to.end_document();
  }

  template <typename Visitor>
  void take_name(std::span<const std::byte>& bytes, Visitor& to) {
    const std::size_t size = find_nul(bytes);
    const bool ends = size != bytes.size();
    if (!pay(size + (ends ? 1 : 0))) return;
    to.take_name(bytes.first(size));
    bytes = bytes.subspan(size + (ends ? 1 : 0));
    if (ends) begin_value(to);
  }

  template <typename Visitor>
  void begin_value(Visitor& to) {
    if (to.enters()) {
      next_ = part::document_length;
      return;
    }
    const value_layout layout = layout_of(type_);
    switch (layout.how) {
      case value_layout::kind::fixed:
        return follow_value(layout.bytes, to);
      case value_layout::kind::prefixed:
      case value_layout::kind::self_counted:
        next_ = part::value_length;
        return;
      case value_layout::kind::regex:
        strings_ = 2;
        next_ = part::strings;
        return;
      case value_layout::kind::unknown:
        return fail();
    }
  }

  template <typename Visitor>
  void begin_counted(Visitor& to) {
    const value_layout layout = layout_of(type_);
    const bool counts_itself = layout.how == value_layout::kind::self_counted;
    if (counts_itself && length_ < sizeof length_) return fail();
    if (!pay(sizeof length_) || !to.take_length(length_)) return fail();
    follow_value(
        counts_itself ? length_ - sizeof length_ : std::uint64_t{length_} + layout.bytes, to);
  }

  template <typename Visitor>
  void follow_value(std::uint64_t bytes, Visitor& to) {
    if (!pay(bytes)) return;
    length_ = static_cast<std::uint32_t>(bytes);
    next_ = part::value;
    if (bytes == 0) finish_value(to);
  }

  template <typename Visitor>
  void take_value(std::span<const std::byte>& bytes, Visitor& to) {
    const auto taken = bytes.first(std::min<std::size_t>(length_, bytes.size()));
    bytes = bytes.subspan(taken.size());
    length_ -= static_cast<std::uint32_t>(taken.size());
    to.take_value(taken);
    if (length_ == 0) finish_value(to);
  }

  /// Passes on a piece of a regex, which is two NUL-terminated strings: pattern and options.
  template <typename Visitor>
  void take_string(std::span<const std::byte>& bytes, Visitor& to) {
    const std::size_t size = find_nul(bytes);
    const bool ends = size != bytes.size();
    const auto taken = bytes.first(size + (ends ? 1 : 0));
    if (!pay(taken.size())) return;
    bytes = bytes.subspan(taken.size());
    to.take_value(taken);
    if (ends && --strings_ == 0) finish_value(to);
  }

  template <typename Visitor>
  void finish_value(Visitor& to) {
    next_ = part::type;
    to.end_value();
  }

  /// Claims bytes of the current document; fails if no byte would remain for its NUL.
  [[nodiscard]] bool pay(std::uint64_t bytes) noexcept {
    if (bytes >= left_) {
      fail();
      return false;
    }
    left_ -= static_cast<std::uint32_t>(bytes);
    return true;
  }

  /// The offset of the NUL in `bytes`, or bytes.size() if there is none.
  [[nodiscard]] static std::size_t find_nul(std::span<const std::byte> bytes) noexcept {
    const void* const nul = std::memchr(bytes.data(), 0, bytes.size());
    if (nul == nullptr) return bytes.size();
    return static_cast<std::size_t>(static_cast<const std::byte*>(nul) - bytes.data());
  }

  void fail() noexcept { next_ = part::broken; }

  std::uint32_t left_ = 0;  ///< unclaimed bytes of the innermost document, its NUL included
  /// For each open ancestor: the number of its bytes that follow its open child.
  std::array<std::uint32_t, Depth - 1> outer_{};
  /// The length that is being read, or the number of bytes of the value still to come.
  std::uint32_t length_ = 0;
  std::uint8_t depth_ = 0;
  std::uint8_t length_bytes_ = 0;  ///< bytes of length_ read so far
  std::uint8_t strings_ = 0;       ///< strings of a regex still to come
  bson_type type_{};
  part next_ = part::broken;
};

}  // namespace scattergate::wire
