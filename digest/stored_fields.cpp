#include "digest/stored_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "text/json_writer.hpp"
#include "text/utf8.hpp"

namespace scattergate::digest {
namespace {

namespace json = boost::json;

constexpr std::string_view hex_digits = "0123456789abcdef";

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    unsigned char byte = 0;
    const char* const end = digits.data() + at + 2;
    if (std::from_chars(digits.data() + at, end, byte, 16).ptr != end) return {};
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

std::optional<std::string> text_of(const json::value& value) {
  if (value.is_string()) return std::string{value.as_string()};
  if (!value.is_object()) return std::nullopt;
  const auto* const hex = value.as_object().if_contains("hex");
  if (hex == nullptr || !hex->is_string()) return std::nullopt;
  return bytes_of_hex(hex->as_string());
}

}  // namespace

void stored_fields::complain(std::string_view name) const {
  if (complaint_) return;
  complaint_ = text::failure("\"" + std::string{name} + "\" is not one of its values");
}

std::string stored_fields::text(std::string_view name) const {
  const auto* const found = of_.if_contains(name);
  if (found == nullptr) return {};
  auto text = text_of(*found);
  if (!text) complain(name);
  return std::move(text).value_or(std::string{});
}

std::vector<std::string> stored_fields::texts(std::string_view name) const {
  std::vector<std::string> all;
  const auto* const found = array(name);
  if (found == nullptr) return all;
  for (const json::value& one : *found) {
    auto text = text_of(one);
    if (!text) complain(name);
    all.push_back(std::move(text).value_or(std::string{}));
  }
  return all;
}

std::uint64_t stored_fields::number(std::string_view name, std::uint64_t at_most) const {
  const auto* const found = of_.if_contains(name);
  if (found == nullptr) return 0;
  boost::system::error_code error;
  const auto value = found->to_number<std::uint64_t>(error);
  const bool is_whole = found->is_int64() || found->is_uint64();
  if (is_whole && !error && value <= at_most) return value;
  complain(name);
  return 0;
}

std::optional<std::int64_t> stored_fields::signed_number(std::string_view name) const {
  const auto* const found = of_.if_contains(name);
  if (found == nullptr) return std::nullopt;
  if (found->is_int64()) return found->as_int64();
  complain(name);
  return std::nullopt;
}

std::string stored_fields::json_text(std::string_view name) const {
  std::string text = this->text(name);
  if (text.empty()) return text;
  boost::system::error_code error;
  const json::value parsed = json::parse(text, error);
  const auto is_layout = [](unsigned char c) { return c < ' '; };
  if (error || !parsed.is_object() || std::any_of(text.begin(), text.end(), is_layout)) {
    complain(name);
    return {};
  }
  text::escape_invisible_in_json(text);
  return text;
}

const json::object* stored_fields::object(std::string_view name) const {
  const auto* const found = of_.if_contains(name);
  if (found == nullptr || found->is_object()) return found ? &found->as_object() : nullptr;
  complain(name);
  return nullptr;
}

const json::array* stored_fields::array(std::string_view name) const {
  const auto* const found = of_.if_contains(name);
  if (found == nullptr || found->is_array()) return found ? &found->as_array() : nullptr;
  complain(name);
  return nullptr;
}

void append_stored_text(text::json_writer& to, std::string_view text) {
  if (text::is_utf8(text)) return to.text(text);
  std::string hex;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hex += hex_digits[byte >> 4U];
    hex += hex_digits[byte & 15U];
  }
  to.object();
  to.text("hex", hex);
  to.end();
}

}  // namespace scattergate::digest
