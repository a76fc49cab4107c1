#include "wire/value_layout.hpp"

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

}  // namespace scattergate::wire
