#pragma once

#include <array>
#include <string_view>

#include "wire/bson.hpp"

/// The placeholders that replace values in shapes (docs/shapes.md), such as "?number".
namespace scattergate::routing {

/// A placeholder of scattergate's shapes or of MongoDB's query shapes.
struct placeholder {
  std::string_view name;     ///< the text in a shape, such as "?number"
  wire::bson_type type;      ///< the type of the values that the placeholder replaces; int32
                             ///< stands for all types of numbers
  std::string_view example;  ///< a value of the type in mongosh's syntax; empty if there is
                             ///< none
  /// An example of a component of a dotted field name that the placeholder replaces, such as
  /// the 0 in `a.0.b`. Empty if the placeholder replaces values only.
  std::string_view in_a_name = {};
};

/// The placeholders of single values. placeholder_of() returns the first one of a type. Other
/// placeholders aren't listed: lists (see placeholder_list), "?documents" (an insert's
/// documents), "?deep" (a value nested too deeply) and "?unknown" (an invalid type).
inline constexpr std::array placeholders = {
    placeholder{"?number", wire::bson_type::int32, "0", "0"},
    placeholder{"?string", wire::bson_type::string, R"("")"},
    placeholder{"?objectId", wire::bson_type::object_id,
                R"(ObjectId("000000000000000000000000"))", "507f1f77bcf86cd799439011"},
    placeholder{"?bool", wire::bson_type::boolean, "true"},
    placeholder{"?date", wire::bson_type::date, R"(ISODate("1970-01-01T00:00:00Z"))"},
    placeholder{"?null", wire::bson_type::null, "null"},
    placeholder{"?regex", wire::bson_type::regex, "/^x/"},
    placeholder{"?binary", wire::bson_type::binary, R"(BinData(0, ""))"},
    placeholder{"?binData", wire::bson_type::binary, R"(BinData(0, ""))"},  // MongoDB's name
    placeholder{"?uuid", wire::bson_type::binary,
                R"(UUID("00000000-0000-0000-0000-000000000000"))",
                "123e4567-e89b-12d3-a456-426614174000"},
    placeholder{"?timestamp", wire::bson_type::timestamp, "Timestamp(0, 0)"},
    placeholder{"?javascript", wire::bson_type::code, R"(Code(""))"},
    placeholder{"?javascriptWithScope", wire::bson_type::code_with_scope, R"(Code("", {}))"},
    placeholder{"?undefined", wire::bson_type::undefined, "undefined"},
    placeholder{"?minKey", wire::bson_type::min_key, "MinKey()"},
    placeholder{"?maxKey", wire::bson_type::max_key, "MaxKey()"},
    placeholder{"?object", wire::bson_type::document, "{}"},
    placeholder{"?document", wire::bson_type::document, "{}"},  // a write's whole document
    placeholder{"?array", wire::bson_type::array, {}},
    placeholder{"?symbol", wire::bson_type::symbol, R"("")"},
    placeholder{"?dbPointer", wire::bson_type::db_pointer, {}},
};

/// The placeholder named `name`; null if there is none.
[[nodiscard]] constexpr const placeholder* placeholder_named(std::string_view name) noexcept {
  for (const placeholder& one : placeholders) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

/// Scattergate's placeholder for a BSON type; "?number" for all numbers, "?unknown" for an
/// invalid type.
[[nodiscard]] std::string_view placeholder_of(wire::bson_type type) noexcept;

/// The start of a list's placeholder. The whole placeholder is "?array<", the placeholder of
/// the items (nothing if the list is empty or the items' types differ), and ">".
inline constexpr std::string_view placeholder_list = "?array<";

}  // namespace scattergate::routing
