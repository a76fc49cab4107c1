#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "wire/bson.hpp"
#include "wire/endian.hpp"
#include "wire/value_layout.hpp"

namespace scattergate::wire {

/// Follows one document while its bytes stream past, in whatever pieces they come, and keeps
/// none of them: tells a visitor of its fields, and of those of the documents in it that the
/// visitor enters, at most `Depth` of them in one another, itself included. What a value holds
/// isn't looked at. A visitor has:
///
///     void begin_document(std::uint32_t length);  // this one's, or one's that is entered
///     void begin_field();                         // its type() is known, its name comes
///     void take_name(std::span<const std::byte> piece);  // without the NUL
///     bool enters();                              // whether to, now that the name is there
///     bool take_length(std::uint32_t length);     // that a value begins with; false: broken
///     void take_value(std::span<const std::byte> piece);  // of what follows
///     void end_value();
///     void end_document();
template <std::size_t Depth>
class bson_stream {
 public:
  /// Begins a document that may take so many bytes.
  void begin(std::size_t room) noexcept {
    depth_ = length_bytes_ = 0;
    // As if it stood in another one, whose NUL has room behind it.
    left_ = static_cast<std::uint32_t>(std::min(room, limits::max_message_bytes) + 1);
    next_ = part::document_length;
  }

  /// Takes bytes from the front of `bytes`, as long as the document goes on. Returns in how
  /// many steps: a type, a name, a length or a piece of a value each.
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

  [[nodiscard]] bool is_open() const noexcept { return next_ < part::ended; }
  /// Whether it has come to its end, and every document that was entered ended where it said.
  [[nodiscard]] bool has_ended() const noexcept { return next_ == part::ended; }

  /// Of the field under way.
  [[nodiscard]] bson_type type() const noexcept { return type_; }

 private:
  // clang-format off
  enum class part : std::uint8_t {
    document_length, type, name, value_length, value, strings, ended, broken,
  };
  // clang-format on

  /// Whether all of a length is in length_ by now.
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

  /// Enters the document whose length has come; behind it there is room for its parent's NUL.
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

  /// Of a regex: its pattern and its options, each closed by a NUL.
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

  /// Claims bytes of the current document, behind which its NUL has room.
  [[nodiscard]] bool pay(std::uint64_t bytes) noexcept {
    if (bytes >= left_) {
      fail();
      return false;
    }
    left_ -= static_cast<std::uint32_t>(bytes);
    return true;
  }

  /// Where the NUL in `bytes` is, or bytes.size() where there is none.
  [[nodiscard]] static std::size_t find_nul(std::span<const std::byte> bytes) noexcept {
    const void* const nul = std::memchr(bytes.data(), 0, bytes.size());
    if (nul == nullptr) return bytes.size();
    return static_cast<std::size_t>(static_cast<const std::byte*>(nul) - bytes.data());
  }

  void fail() noexcept { next_ = part::broken; }

  std::uint32_t left_ = 0;  ///< bytes of the innermost document that nobody claimed yet
  std::array<std::uint32_t, Depth - 1> outer_{};  ///< of those around it, behind those in them
  std::uint32_t length_ = 0;  ///< that comes, or what is still to come of the value
  std::uint8_t depth_ = 0;
  std::uint8_t length_bytes_ = 0;  ///< so many of length_ are there
  std::uint8_t strings_ = 0;       ///< of a regex that are still to come
  bson_type type_{};
  part next_ = part::broken;
};

}  // namespace scattergate::wire
