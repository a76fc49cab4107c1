#include "config/text/extended_json.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "config/text/extended_json_types.hpp"
#include "config/text/text_readers.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

using node = text_tree::node;

void append_value(bson_t& to, std::string_view key, const node& value);

int key_size(std::string_view key) {
  return static_cast<int>(key.size());
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// JSON's grammar: -? (0 | [1-9][0-9]*) fraction? exponent?
bool is_json_number(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != text.npos) {
    std::string_view digits = text.substr(exponent + 1);
    if (!digits.empty() && (digits.front() == '+' || digits.front() == '-')) {
      digits.remove_prefix(1);
    }
    if (!is_digits(digits)) return false;
    text = text.substr(0, exponent);
  }
  const std::size_t point = text.find('.');
  if (point != text.npos) {
    if (!is_digits(text.substr(point + 1))) return false;
    text = text.substr(0, point);
  }
  return is_digits(text) && (text.size() == 1 || text.front() != '0');
}

// Whether YAML's core schema reads the text as a number although JSON doesn't.
bool is_yaml_number_only(std::string_view text) {
  if (text == ".inf" || text == "-.inf" || text == "+.inf" || text == ".nan") return true;
  const std::string_view prefix = text.substr(0, 2);
  if (prefix == "0x" || prefix == "0o") {
    return text.find_first_not_of("0123456789abcdefABCDEF", 2) == text.npos && text.size() > 2;
  }
  if (text.find_first_not_of("0123456789+-.eE") != text.npos) return false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

void append_number(bson_t& to, std::string_view key, const node& value) {
  const std::string_view text = value.text();
  const char* const end = text.data() + text.size();
  if (text.find_first_of(".eE") == text.npos) {
    std::int64_t whole = 0;
    if (std::from_chars(text.data(), end, whole).ec == std::errc{}) {
      if (whole >= std::numeric_limits<std::int32_t>::min() &&
          whole <= std::numeric_limits<std::int32_t>::max()) {
        require(
            bson_append_int32(&to, key.data(), key_size(key), static_cast<std::int32_t>(whole)),
            value);
      } else {
        require(bson_append_int64(&to, key.data(), key_size(key), whole), value);
      }
      return;
    }
  }
  double number = 0;
  if (std::from_chars(text.data(), end, number).ec != std::errc{}) {
    throw value_error{
        {value.line(), "the number " + text::in_quotes(text) + " is out of range"}};
  }
  require(bson_append_double(&to, key.data(), key_size(key), number), value);
}

void append_scalar(bson_t& to, std::string_view key, const node& value) {
  const std::string_view text = value.text();
  const int size = key_size(key);
  if (value.is_plain()) {
    if (value.is_null()) return require(bson_append_null(&to, key.data(), size), value);
    if (text == "true" || text == "True" || text == "TRUE") {
      return require(bson_append_bool(&to, key.data(), size, true), value);
    }
    if (text == "false" || text == "False" || text == "FALSE") {
      return require(bson_append_bool(&to, key.data(), size, false), value);
    }
    if (is_json_number(text)) return append_number(to, key, value);
    if (is_yaml_number_only(text)) {
      throw value_error{
          {value.line(),
           text::in_quotes(text) +
               " is a number in YAML but not in JSON: quote it or use JSON's syntax"}};
    }
  }
  if (text.size() > std::numeric_limits<int>::max()) {
    throw value_error{{value.line(), "a string that is too long"}};
  }
  require(bson_append_utf8(&to, key.data(), size, text.data(), static_cast<int>(text.size())),
          value);
}

void append_members(bson_t& to, const node& list) {
  std::uint32_t position = 0;
  for (const node member : list) append_value(to, std::to_string(position++), member);
}

void append_entries(bson_t& to, const node& map) {
  for (auto at = map.begin(); at != map.end(); ++at) {
    const node key = *at;
    if (!key.is_scalar()) throw value_error{{key.line(), "a key that isn't a string"}};
    if (key.text().find('\0') != std::string_view::npos) {
      throw value_error{{key.line(), "a key contains a NUL byte"}};
    }
    append_value(to, key.text(), *++at);
  }
}

void append_value(bson_t& to, std::string_view key, const node& value) {
  if (value.is_scalar()) return append_scalar(to, key, value);
  if (value.is_map() && append_wrapped(to, key, value)) return;
  bson_t child;
  if (value.is_list()) {
    require(bson_append_array_begin(&to, key.data(), key_size(key), &child), value);
    append_members(child, value);
    require(bson_append_array_end(&to, &child), value);
  } else {
    require(bson_append_document_begin(&to, key.data(), key_size(key), &child), value);
    append_entries(child, value);
    require(bson_append_document_end(&to, &child), value);
  }
}

/// Owns a bson_t.
struct owned_bson {
  bson_t value = BSON_INITIALIZER;
  owned_bson() = default;
  ~owned_bson() { bson_destroy(&value); }
  owned_bson(const owned_bson&) = delete;
  owned_bson& operator=(const owned_bson&) = delete;
};

}  // namespace

void append_document(bson_t& to, const node& map) {
  append_entries(to, map);
}

wire::document_view bson_bytes::view() const {
  const auto document = wire::document_view::from(bytes);
  if (!document) throw std::logic_error("bson_bytes without a document");
  return *document;
}

parse_result<bson_bytes> bson_of(const node& value) {
  if (value.is_scalar()) return parse_problem{value.line(), "not a document"};
  owned_bson made;
  try {
    if (value.is_list()) {
      append_members(made.value, value);
    } else {
      append_entries(made.value, value);
    }
  } catch (const value_error& bad) {
    return parse_problem{bad};
  }
  if (made.value.len > wire::limits::max_document_bytes) {
    return parse_problem{value.line(), "larger than 16 MiB, the limit for a document"};
  }
  const auto* const begin = reinterpret_cast<const std::byte*>(bson_get_data(&made.value));
  return bson_bytes{{begin, begin + made.value.len}};
}

parse_result<bson_bytes> bson_of_json(std::string_view json) {
  const auto parsed = parse_json(json);
  if (!parsed) return parsed.error();
  return bson_of(parsed->root());
}

}  // namespace scattergate::config
