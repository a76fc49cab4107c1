#include "config/driver/reply_check.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "wire/bson.hpp"
#include "wire/endian.hpp"

namespace scattergate::config {
namespace {

using wire::document_view;

/// The scope of a code_with_scope: int32 length, string (int32 length, text), document.
std::optional<document_view> scope_of(const wire::element& code) {
  constexpr std::size_t number = sizeof(std::int32_t);
  const auto value = code.value();
  if (value.size() < 2 * number) return std::nullopt;
  const auto text = wire::load_little<std::uint32_t>(value.data() + number);
  if (text > value.size() - 2 * number) return std::nullopt;
  return document_view::from(value.subspan(2 * number + text));
}

/// The document inside a field; an empty one if the field's type has none; std::nullopt if it
/// is malformed.
std::optional<document_view> inside(const wire::element& field) {
  if (field.type() == wire::bson_type::code_with_scope) return scope_of(field);
  if (!field.is_document() && !field.is_array()) return document_view{};
  return field.as_container();
}

/// Whether every nested document can be read to its end.
bool is_sound(document_view document) {
  std::vector<wire::document_reader> open;
  open.emplace_back(document);
  while (!open.empty()) {
    wire::element field;
    if (!open.back().next(field)) {
      if (open.back().is_corrupt()) return false;
      open.pop_back();
      continue;
    }
    const auto nested = inside(field);
    if (!nested || open.size() > wire::limits::inspect_depth) return false;
    if (!nested->is_empty()) open.emplace_back(*nested);
  }
  return true;
}

}  // namespace

text::result<void> check_reply(std::span<const std::byte> reply) {
  const auto document = document_view::from(reply);
  if (!document) return text::failure("it isn't a document");
  if (!is_sound(*document)) {
    return text::failure("a part of it is malformed, or nested too deeply");
  }
  return {};
}

}  // namespace scattergate::config
