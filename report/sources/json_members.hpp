#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "digest/row.hpp"

/// Reads members of JSON objects written by scattergate (audit lines, reports) into rows.
/// Missing members, wrong types and impossible sizes become empty or 0.
/// Reads the member `name` of a JSON object. If it is absent or of another type, returns an
/// empty text, std::nullopt or 0. Numbers out of range are clamped.
namespace scattergate::report::json_members {

[[nodiscard]] std::string_view text(const simdjson::dom::object& from, std::string_view name);
[[nodiscard]] std::optional<simdjson::dom::object> object(const simdjson::dom::object& from,
                                                          std::string_view name);
[[nodiscard]] std::optional<simdjson::dom::array> array(const simdjson::dom::object& from,
                                                        std::string_view name);
[[nodiscard]] double number(const simdjson::dom::object& from, std::string_view name);
[[nodiscard]] std::uint64_t count(const simdjson::dom::object& from,
                                  std::string_view name = "count");
[[nodiscard]] std::chrono::nanoseconds millis(const simdjson::dom::object& from,
                                              std::string_view name);

/// Reads namespace, command, shape, callers and verdict, whose names audit lines and reports
/// share. Leaves counts and times unchanged.
void read_names(const simdjson::dom::object& from, digest::row& to);

}  // namespace scattergate::report::json_members
