#include <algorithm>
#include <array>
#include <utility>

#include "sim/values/error.hpp"
#include "sim/values/value_predicate.hpp"

namespace scattergate::sim {
namespace {

constexpr auto aliases = std::to_array<std::pair<std::string_view, bson_type>>({
    {"double", bson_type::float64},
    {"string", bson_type::string},
    {"object", bson_type::document},
    {"array", bson_type::array},
    {"binData", bson_type::binary},
    {"undefined", bson_type::undefined},
    {"objectId", bson_type::object_id},
    {"bool", bson_type::boolean},
    {"date", bson_type::date},
    {"null", bson_type::null},
    {"regex", bson_type::regex},
    {"dbPointer", bson_type::db_pointer},
    {"javascript", bson_type::code},
    {"symbol", bson_type::symbol},
    {"javascriptWithScope", bson_type::code_with_scope},
    {"int", bson_type::int32},
    {"timestamp", bson_type::timestamp},
    {"long", bson_type::int64},
    {"decimal", bson_type::decimal128},
    {"minKey", bson_type::min_key},
    {"maxKey", bson_type::max_key},
});

void add_named(std::string_view name, std::vector<bson_type>& out) {
  if (name == "number") {
    out.insert(out.end(),
               {bson_type::int32, bson_type::int64, bson_type::float64, bson_type::decimal128});
    return;
  }
  const auto* known = std::find_if(aliases.begin(), aliases.end(),
                                   [name](const auto& each) { return each.first == name; });
  if (known == aliases.end()) {
    throw command_failure(errc::bad_value, "Unknown type name alias: " + std::string{name});
  }
  out.push_back(known->second);
}

void add_numbered(const value& operand, std::vector<bson_type>& out) {
  const std::int64_t number = operand.as_int64();
  if (operand.as_long_double() != static_cast<long double>(number)) {
    throw command_failure(errc::bad_value, "Invalid numerical type code: not an integer");
  }
  const auto* known = std::find_if(aliases.begin(), aliases.end(), [number](const auto& each) {
    return number == static_cast<std::int64_t>(each.second) ||
           (number == -1 && each.second == bson_type::min_key);
  });
  if (known == aliases.end()) {
    throw command_failure(errc::bad_value,
                          "Invalid numerical type code: " + std::to_string(number));
  }
  out.push_back(known->second);
}

void add_type(const value& operand, std::vector<bson_type>& out) {
  if (const auto* name = operand.as<std::string>()) {
    add_named(*name, out);
  } else if (operand.is_number()) {
    add_numbered(operand, out);
  } else {
    throw command_failure(errc::type_mismatch,
                          "type must be represented as a number or string");
  }
}

}  // namespace

std::vector<bson_type> types_of(const value& operand) {
  std::vector<bson_type> out;
  if (const auto* several = operand.as<array>()) {
    for (const value& each : *several) add_type(each, out);
    if (out.empty()) {
      throw command_failure(errc::bad_value, "$type must match at least one type");
    }
  } else {
    add_type(operand, out);
  }
  return out;
}

std::string_view type_alias(bson_type type) noexcept {
  const auto* known = std::find_if(aliases.begin(), aliases.end(),
                                   [type](const auto& each) { return each.second == type; });
  return known == aliases.end() ? "missing" : known->first;
}

}  // namespace scattergate::sim
