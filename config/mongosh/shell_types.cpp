#include "config/mongosh/shell_types.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "config/mongosh/shell_scanner.hpp"

namespace scattergate::config {
namespace {

using arguments = std::vector<shell_value>;

[[noreturn]] void refuse_type(std::string_view type, std::string_view expected) {
  throw shell_error{{0, std::string{type} + "(): expected " + std::string{expected}}};
}

shell_value wrapped(std::string_view wrapper, shell_value inner) {
  return shell_value::map({{std::string{wrapper}, std::move(inner)}});
}

/// The text of a constructor's only argument, a text or number in quotes or without.
std::string only_text(std::string_view type, const arguments& given,
                      std::string_view expected) {
  const bool is_text = given.size() == 1 && given.front().kind == node_kind::scalar;
  if (!is_text) refuse_type(type, expected);
  return given.front().text;
}

shell_value object_id(std::string_view type, const arguments& given) {
  // A new id, as the shell makes it, has a random value.
  if (given.empty()) return wrapped("$oid", shell_value::quoted("000000000000000000000000"));
  return wrapped("$oid", shell_value::quoted(only_text(type, given, "24 hexadecimal digits")));
}

shell_value date(std::string_view type, const arguments& given) {
  using namespace std::chrono;
  if (given.empty()) {
    const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch());
    return wrapped("$date",
                   wrapped("$numberLong", shell_value::quoted(std::to_string(now.count()))));
  }
  std::string text = only_text(type, given, "a time, such as \"2026-01-31T12:00:00Z\"");
  if (given.front().is_plain) {
    return wrapped("$date", wrapped("$numberLong", shell_value::quoted(std::move(text))));
  }
  constexpr std::size_t day = std::string_view{"2026-01-31"}.size();
  constexpr std::size_t minute = std::string_view{"2026-01-31T12:00"}.size();
  if (text.size() == day) text += "T00:00:00Z";
  if (text.size() > day && text[day] == ' ') text[day] = 'T';
  const bool has_zone = text.size() > day && text.find_first_of("Z+-", day) != text.npos;
  if (text.size() >= minute && (text.size() == minute || text[minute] != ':')) {
    text.insert(minute, ":00");
  }
  if (!has_zone) text += 'Z';
  return wrapped("$date", shell_value::quoted(std::move(text)));
}

shell_value number_as(std::string_view type, std::string_view wrapper, const arguments& given) {
  if (given.empty()) return wrapped(wrapper, shell_value::quoted("0"));
  return wrapped(wrapper, shell_value::quoted(only_text(type, given, "a number")));
}

/// An integer of digits, with or without a sign.
shell_value integer_as(std::string_view type, std::string_view wrapper,
                       const arguments& given) {
  shell_value made = number_as(type, wrapper, given);
  std::string_view digits = made.members.front().text;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) {
    refuse_type(type, "an integer in decimal digits");
  }
  return made;
}

shell_value int32(std::string_view type, const arguments& given) {
  return integer_as(type, "$numberInt", given);
}

shell_value int64(std::string_view type, const arguments& given) {
  return integer_as(type, "$numberLong", given);
}

shell_value decimal(std::string_view type, const arguments& given) {
  return number_as(type, "$numberDecimal", given);
}

shell_value real(std::string_view type, const arguments& given) {
  return number_as(type, "$numberDouble", given);
}

shell_value uuid(std::string_view type, const arguments& given) {
  if (given.empty()) {
    return wrapped("$uuid", shell_value::quoted("00000000-0000-4000-8000-000000000000"));
  }
  return wrapped("$uuid", shell_value::quoted(only_text(type, given, "a UUID in quotes")));
}

shell_value binary(std::string_view type, const arguments& given) {
  if (given.size() != 2 || !given[1].is_string()) refuse_type(type, "a subtype and base64");
  constexpr std::string_view digits = "0123456789abcdef";
  unsigned subtype = 0;
  for (const char c : given[0].text) {
    if (c < '0' || c > '9' || subtype > 255) refuse_type(type, "a subtype from 0 to 255");
    subtype = subtype * 10 + static_cast<unsigned>(c - '0');
  }
  if (subtype > 255) refuse_type(type, "a subtype from 0 to 255");
  const std::string hex{digits[subtype / 16], digits[subtype % 16]};
  return wrapped("$binary", shell_value::map(
                                {{"base64", given[1]}, {"subType", shell_value::quoted(hex)}}));
}

shell_value timestamp(std::string_view type, const arguments& given) {
  if (given.size() == 1 && given.front().is_map()) return wrapped("$timestamp", given.front());
  if (given.size() != 2) refuse_type(type, "seconds and a counter");
  return wrapped("$timestamp", shell_value::map({{"t", given[0]}, {"i", given[1]}}));
}

shell_value regex(std::string_view type, const arguments& given) {
  const bool has_flags = given.size() == 2 && given[1].is_string();
  if (given.empty() || !given[0].is_string() || (given.size() > 1 && !has_flags)) {
    refuse_type(type, "a pattern and flags in quotes");
  }
  return regex_value(given[0].text, has_flags ? given[1].text : "");
}

shell_value least_key(std::string_view, const arguments&) {
  return wrapped("$minKey", shell_value::plain("1"));
}

shell_value greatest_key(std::string_view, const arguments&) {
  return wrapped("$maxKey", shell_value::plain("1"));
}

struct type_row {
  std::string_view name;
  shell_value (*make)(std::string_view type, const arguments& given);
};

constexpr std::array<type_row, 20> types = {{
    {"ObjectId", object_id}, {"ObjectID", object_id},  {"ISODate", date},
    {"Date", date},          {"NumberInt", int32},     {"Int32", int32},
    {"NumberLong", int64},   {"Long", int64},          {"NumberDecimal", decimal},
    {"Decimal128", decimal}, {"Double", real},         {"UUID", uuid},
    {"BinData", binary},     {"Timestamp", timestamp}, {"RegExp", regex},
    {"BSONRegExp", regex},   {"MinKey", least_key},    {"MaxKey", greatest_key},
    {"Number", real},        {"NumberDouble", real},
}};

const type_row* find_type(std::string_view name) noexcept {
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const type_row& one) { return one.name == name; });
  return found == types.end() ? nullptr : &*found;
}

}  // namespace

bool is_type(std::string_view name) noexcept {
  return find_type(name) != nullptr;
}

shell_value typed_value(std::string_view name, std::vector<shell_value> arguments) {
  return find_type(name)->make(name, arguments);
}

shell_value regex_value(std::string pattern, std::string_view flags) {
  std::string options;
  for (const char flag : flags) {
    if (std::string_view{"imsxu"}.find(flag) == std::string_view::npos) {
      throw shell_error{{0, std::string{"MongoDB has no flag "} + flag +
                                " of regular expressions (known: i, m, s, x)"}};
    }
    if (flag != 'u') options += flag;
  }
  std::sort(options.begin(), options.end());
  return wrapped("$regularExpression",
                 shell_value::map({{"pattern", shell_value::quoted(std::move(pattern))},
                                   {"options", shell_value::quoted(std::move(options))}}));
}

shell_value double_value(std::string text) {
  return wrapped("$numberDouble", shell_value::quoted(std::move(text)));
}

}  // namespace scattergate::config
