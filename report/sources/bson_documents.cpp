#include "report/sources/bson_documents.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "wire/endian.hpp"
#include "wire/limits.hpp"

namespace scattergate::report {
namespace {

using size_type = std::uint32_t;

bool is_possible_document_size(size_type size) {
  return size >= wire::limits::min_document_bytes && size <= wire::limits::max_document_bytes;
}

bool is_type(std::byte letter) {
  const auto type = static_cast<wire::bson_type>(letter);
  return (letter >= std::byte{1} && type <= wire::bson_type::decimal128) ||
         type == wire::bson_type::max_key || type == wire::bson_type::min_key;
}

}  // namespace

/// A size, the type of a first field, and a name without control characters.
bool is_bson(std::string_view begins) noexcept {
  constexpr std::size_t head = sizeof(size_type) + 1;
  if (begins.size() <= head) return false;
  if (!is_possible_document_size(wire::load_little<size_type>(begins.data()))) return false;
  if (!is_type(static_cast<std::byte>(begins[sizeof(size_type)]))) return false;
  const std::string_view rest = begins.substr(head);
  const std::string_view name = rest.substr(0, rest.find('\0'));
  return name.size() < rest.size() && !name.empty() &&
         std::none_of(name.begin(), name.end(),
                      [](char letter) { return static_cast<unsigned char>(letter) < ' '; });
}

bool bson_documents::next() {
  if (input_.peek(1).empty()) return false;
  std::array<char, sizeof(size_type)> head{};
  const bool is_whole = input_.fill(head);
  const auto size = wire::load_little<size_type>(head.data());
  is_corrupt_ = !is_whole || !is_possible_document_size(size);
  if (is_corrupt_) return false;
  bytes_.resize(size);
  std::copy(head.begin(), head.end(), bytes_.begin());
  const bool is_filled = input_.fill(std::span{bytes_}.subspan(head.size()));
  const auto document = wire::document_view::from(std::as_bytes(std::span{bytes_}));
  is_corrupt_ = !is_filled || !document;
  if (document) document_ = *document;
  return !is_corrupt_;
}

}  // namespace scattergate::report
