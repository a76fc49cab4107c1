#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "digest/row.hpp"

/// Reads members of JSON objects that scattergate has written (audit lines, reports). The
/// input is untrusted: the functions return an empty result or 0 if the member `name` is
/// absent or of another type.
namespace scattergate::report::json_members {

/// The text member `name`; empty if there is none, or if it is longer than scattergate writes.
[[nodiscard]] std::string_view text(const simdjson::dom::object& from, std::string_view name);
/// The object member `name`; std::nullopt if there is none.
[[nodiscard]] std::optional<simdjson::dom::object> object(const simdjson::dom::object& from,
                                                          std::string_view name);
/// The array member `name`; std::nullopt if there is none.
[[nodiscard]] std::optional<simdjson::dom::array> array(const simdjson::dom::object& from,
                                                        std::string_view name);
/// The number member `name`; 0 if there is none.
[[nodiscard]] double number(const simdjson::dom::object& from, std::string_view name);
/// The count in the member `name`, clamped to a range in which sums don't overflow; 0 if there
/// is none.
[[nodiscard]] std::uint64_t count(const simdjson::dom::object& from,
                                  std::string_view name = "count");
/// The duration in the member `name`, which is in milliseconds. Clamped to the range from 0 to
/// longest_duration; 0 if there is none.
[[nodiscard]] std::chrono::nanoseconds millis(const simdjson::dom::object& from,
                                              std::string_view name);

/// Sets the namespace, command, shape (the command's text without values), callers and verdict
/// of the row `to`. Audit lines and reports use the same member names for these. Leaves counts
/// and times unchanged.
void read_names(const simdjson::dom::object& from, digest::row& to);

}  // namespace scattergate::report::json_members
