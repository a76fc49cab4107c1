#include "wire/bson.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "wire/endian.hpp"

namespace scattergate::wire {
namespace {

using bytes_view = std::span<const std::byte>;

constexpr std::size_t broken = std::numeric_limits<std::size_t>::max();

/// The length prefix of `bytes`. Read as unsigned, so that a negative length becomes too long
/// for any value.
std::size_t length_at(bytes_view bytes) noexcept {
  return load_little<std::uint32_t>(bytes.data());
}

/// The size of a document, checked as document_view::first_of() does.
std::size_t document_size(bytes_view bytes) noexcept {
  if (bytes.size() < limits::min_document_bytes) return broken;
  const std::size_t length = length_at(bytes);
  if (length < limits::min_document_bytes || length > limits::max_document_bytes ||
      length > bytes.size()) {
    return broken;
  }
  return bytes.data()[length - 1] == std::byte{0} ? length : broken;
}

/// The size of a length-prefixed text closed by its NUL, with `more` bytes after it.
std::size_t text_size(bytes_view bytes, std::size_t more) noexcept {
  const std::size_t length = length_at(bytes);
  if (length == 0 || length > bytes.size() - prefix_bytes) return broken;
  if (bytes.data()[prefix_bytes + length - 1] != std::byte{0}) return broken;
  return prefix_bytes + length + more;
}

/// The content of subtype 2 repeats its length. MongoDB's validation doesn't check the repeated
/// length (mongo: bson/bson_validate.cpp), so neither does this function.
std::size_t binary_size(bytes_view bytes) noexcept {
  constexpr std::size_t head = prefix_bytes + 1;
  const std::size_t length = length_at(bytes);
  if (bytes.size() < head || length > bytes.size() - head) return broken;
  return head + length;
}

std::size_t code_with_scope_size(bytes_view bytes) noexcept {
  constexpr std::size_t head = 2 * prefix_bytes;  // the lengths of the value and of its code
  const std::size_t whole = length_at(bytes);
  if (whole > bytes.size() || whole < head + 1 + limits::min_document_bytes) return broken;
  const std::size_t code = length_at(bytes.subspan(prefix_bytes));
  if (code == 0 || code > whole - head - limits::min_document_bytes) return broken;
  if (length_at(bytes.subspan(head + code)) != whole - head - code) return broken;
  return whole;
}

std::size_t regex_size(bytes_view bytes) noexcept {
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  const std::size_t pattern_end = text.find('\0');
  if (pattern_end == text.npos) return broken;
  const std::size_t end = text.find('\0', pattern_end + 1);
  return end == text.npos ? broken : end + 1;
}

constexpr std::array<std::byte, limits::min_document_bytes> empty_document{std::byte{5}};

/// The length that the document at `bytes` claims; 0 if it can't be correct.
std::size_t claimed_length(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < limits::min_document_bytes) return 0;
  // Unsigned: a negative length becomes a huge one and fails the same comparison.
  const std::size_t length = load_little<std::uint32_t>(bytes.data());
  if (length < limits::min_document_bytes || length > limits::max_document_bytes) return 0;
  if (length > bytes.size() || bytes[length - 1] != std::byte{0}) return 0;
  return length;
}

/// Whether a decimal128 (IEEE 754-2008, binary integer coefficient) isn't zero.
bool is_decimal_nonzero(const std::byte* value) noexcept {
  const auto low = load_little<std::uint64_t>(value);
  const auto high = load_little<std::uint64_t>(value + 8);
  constexpr std::uint64_t large_form = 3ULL << 61U;
  constexpr std::uint64_t special = 15ULL << 59U;
  constexpr std::uint64_t coefficient = (1ULL << 49U) - 1;
  if ((high & special) == special) return true;  // infinity and NaN
  // The large form's coefficient has more than 34 digits, which stands for zero.
  if ((high & large_form) == large_form) return false;
  return low != 0 || (high & coefficient) != 0;
}

/// Size of a number's or boolean's value, in bytes; 0 for every other type.
std::size_t scalar_bytes(bson_type type) noexcept {
  switch (type) {
    case bson_type::boolean:
      return 1;
    case bson_type::int32:
      return 4;
    case bson_type::int64:
    case bson_type::float64:
      return 8;
    case bson_type::decimal128:
      return 16;
    default:
      return 0;
  }
}

/// The length of the name at `name`, in a document whose closing NUL is at `end`.
std::size_t length_of_name(const std::byte* name, const std::byte* end) noexcept {
  const std::byte* at = name;
  for (; end - at >= 7; at += sizeof(std::uint64_t)) {
    const std::uint64_t marks = nul_marks(load_little<std::uint64_t>(at));
    if (marks != 0) return static_cast<std::size_t>(at - name) + bytes_before_nul(marks);
  }
  while (*at != std::byte{0}) ++at;  // stops at the document's closing NUL at the latest
  return static_cast<std::size_t>(at - name);
}

}  // namespace

std::size_t unfixed_value_size(bson_type type, bytes_view bytes) noexcept {
  using kind = value_layout::kind;
  // The common types first.
  if (type == bson_type::document || type == bson_type::array) return document_size(bytes);
  if (type == bson_type::string)
    return bytes.size() < prefix_bytes ? broken : text_size(bytes, 0);
  if (type == bson_type::boolean) {
    return bytes.empty() || bytes.front() > std::byte{1} ? broken : 1;
  }
  const value_layout layout = layout_of(type);
  if (layout.how == kind::regex) return regex_size(bytes);
  if (layout.how == kind::unknown || bytes.size() < prefix_bytes) return broken;
  if (type == bson_type::binary) return binary_size(bytes);
  if (type == bson_type::code_with_scope) return code_with_scope_size(bytes);
  return text_size(bytes, layout.bytes);
}

document_view::document_view() noexcept : bytes_(empty_document) {}

std::optional<document_view> document_view::from(std::span<const std::byte> bytes) noexcept {
  const std::size_t length = claimed_length(bytes);
  if (length == 0 || length != bytes.size()) return std::nullopt;
  return document_view{bytes};
}

std::optional<document_view> document_view::first_of(
    std::span<const std::byte> bytes) noexcept {
  const std::size_t length = claimed_length(bytes);
  if (length == 0) return std::nullopt;
  return document_view{bytes.first(length)};
}

std::string_view element::as_string() const noexcept {
  if (type_ != bson_type::string && type_ != bson_type::symbol && type_ != bson_type::code) {
    return {};
  }
  if (value_.size() <= sizeof(std::uint32_t)) return {};
  const auto text = value_.subspan(sizeof(std::uint32_t));
  const std::size_t length = load_little<std::uint32_t>(value_.data());  // its NUL included
  if (length == 0 || length > text.size()) return {};
  return {reinterpret_cast<const char*>(text.data()), length - 1};
}

std::optional<std::int64_t> element::as_int64() const noexcept {
  if (value_.size() != scalar_bytes(type_)) return std::nullopt;
  switch (type_) {
    case bson_type::int32:
      return load_little<std::int32_t>(value_.data());
    case bson_type::int64:
      return load_little<std::int64_t>(value_.data());
    case bson_type::float64: {
      const auto number = load_little<double>(value_.data());
      constexpr double bound = 0x1p63;  // the first double above int64's range
      if (!(number >= -bound && number < bound) || std::trunc(number) != number) return {};
      return static_cast<std::int64_t>(number);
    }
    default:
      return std::nullopt;
  }
}

bool element::is_truthy() const noexcept {
  const bool is_scalar = type_ == bson_type::boolean || is_number();
  if (!is_scalar) return type_ != bson_type::null && type_ != bson_type::undefined;
  if (value_.size() != scalar_bytes(type_)) return false;
  switch (type_) {
    case bson_type::boolean:
      return value_.front() != std::byte{0};
    case bson_type::int32:
      return load_little<std::int32_t>(value_.data()) != 0;
    case bson_type::int64:
      return load_little<std::int64_t>(value_.data()) != 0;
    case bson_type::float64:
      return load_little<double>(value_.data()) != 0;
    case bson_type::decimal128:
      return is_decimal_nonzero(value_.data());
    default:
      return false;
  }
}

bool document_reader::stop() noexcept {
  corrupt_ = true;
  at_ = end_;
  return false;
}

bool document_reader::next(element& field) noexcept {
  if (at_ == end_) return false;
  const auto type = static_cast<bson_type>(*at_);
  const std::byte* const key = at_ + 1;
  const std::size_t key_size = length_of_name(key, end_);
  const std::byte* const value = key + key_size + 1;
  if (value > end_) return stop();
  const std::span<const std::byte> rest{value, end_};
  const std::size_t size = value_size(type, rest);
  if (size > rest.size()) return stop();
  field = element{{reinterpret_cast<const char*>(key), key_size}, type, {value, size}};
  at_ = value + size;
  return true;
}

std::optional<element> find_field(document_view document, std::string_view name) noexcept {
  document_reader reader{document};
  for (element field; reader.next(field);) {
    if (field.key() == name) return field;
  }
  return std::nullopt;
}

std::optional<std::size_t> count_fields(document_view document) noexcept {
  document_reader reader{document};
  std::size_t count = 0;
  for (element field; reader.next(field);) ++count;
  if (reader.is_corrupt()) return std::nullopt;
  return count;
}

}  // namespace scattergate::wire
