#pragma once

#include <array>
#include <string_view>

#include "wire/bson.hpp"

/// The placeholders that replace values in shapes (docs/shapes.md).
namespace scattergate::routing {

/// A placeholder of scattergate or of MongoDB.
struct placeholder {
  std::string_view name;     ///< "?number"
  wire::bson_type type;      ///< the type of the values that it replaces
  std::string_view example;  ///< a value of the type in mongosh's syntax; empty: there is none
  std::string_view in_a_name = {};  ///< the example if it replaces data in a field's name
};

/// All placeholders. If a type has two, scattergate's comes first.
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
    placeholder{"?binData", wire::bson_type::binary, R"(BinData(0, ""))"},  // MongoDB's
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

/// The placeholder with this name; null if there is none.
[[nodiscard]] constexpr const placeholder* placeholder_named(std::string_view name) noexcept {
  for (const placeholder& one : placeholders) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

/// Scattergate's placeholder for a BSON type; "?number" for all numbers, "?unknown" for an
/// invalid type.
[[nodiscard]] std::string_view placeholder_of(wire::bson_type type) noexcept;

/// The start of a list's placeholder. It is followed by the members' placeholder (nothing if
/// types are mixed) and ">".
inline constexpr std::string_view placeholder_list = "?array<";

}  // namespace scattergate::routing
