#include "fleet/bson_parts.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "text/utf8.hpp"
#include "wire/endian.hpp"

namespace scattergate::fleet {
namespace {

/// The bytes in front of the content of BSON binary data: its length and its subtype.
constexpr std::size_t binary_head = sizeof(std::int32_t) + 1;

std::string exact_text(const wire::element& field) {
  if (field.type() != wire::bson_type::binary) return std::string{field.as_string()};
  const auto value = field.value();
  if (value.size() < binary_head) return {};
  const auto content = value.subspan(binary_head);
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

}  // namespace

void append_date(wire::bson_writer& to, std::string_view name, digest::wall_time at) {
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch());
  std::array<std::byte, sizeof(std::int64_t)> value{};
  wire::store_little(value.data(), static_cast<std::int64_t>(millis.count()));
  to.raw(name, wire::bson_type::date, value);
}

void append_server_time(wire::bson_writer& to, std::string_view name) {
  to.open_document("$currentDate");
  to.boolean(name, true);
  to.close();
}

void append_exact(wire::bson_writer& to, std::string_view name, std::string_view text) {
  if (text::is_utf8(text)) return to.text(name, text);
  std::vector<std::byte> value(binary_head + text.size());
  wire::store_little(value.data(), static_cast<std::int32_t>(text.size()));
  std::ranges::copy(std::as_bytes(std::span{text}), value.begin() + binary_head);
  to.raw(name, wire::bson_type::binary, value);
}

wire::document_view view_of(const std::vector<std::byte>& bytes) {
  return wire::document_view::from(bytes).value();
}

std::string text_in(wire::document_view document, std::string_view name) {
  const auto field = wire::find_field(document, name);
  return field ? exact_text(*field) : std::string{};
}

std::string short_text_in(wire::document_view document, std::string_view name) {
  constexpr std::size_t longest = 1'000;
  return text::cut_with_dots(text_in(document, name), longest);
}

std::vector<std::string> texts_in(wire::document_view document, std::string_view name) {
  std::vector<std::string> texts;
  const auto field = wire::find_field(document, name);
  const auto array = field ? field->as_array() : std::nullopt;
  if (!array) return texts;
  wire::document_reader reader{*array};
  for (wire::element one; reader.next(one);) texts.push_back(exact_text(one));
  return texts;
}

std::optional<std::int64_t> signed_in(wire::document_view document, std::string_view name) {
  const auto field = wire::find_field(document, name);
  return field ? field->as_int64() : std::nullopt;
}

std::uint64_t number_in(wire::document_view document, std::string_view name) {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(signed_in(document, name).value_or(0), 0));
}

wire::document_view document_in(wire::document_view document, std::string_view name) {
  const auto field = wire::find_field(document, name);
  return (field ? field->as_document() : std::nullopt).value_or(wire::document_view{});
}

std::optional<digest::wall_time> date_in(wire::document_view document, std::string_view name) {
  const auto field = wire::find_field(document, name);
  if (!field || field->type() != wire::bson_type::date ||
      field->value().size() != sizeof(std::int64_t)) {
    return std::nullopt;
  }
  // In milliseconds, 127 years before or after 1970: differences of two times don't overflow.
  constexpr std::int64_t most = 4'000'000'000'000;
  const auto millis = wire::load_little<std::int64_t>(field->value().data());
  if (millis < -most || millis > most) return std::nullopt;
  return digest::wall_time{std::chrono::milliseconds{millis}};
}

}  // namespace scattergate::fleet
