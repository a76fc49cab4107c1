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

/// A text; empty if it is longer than scattergate writes.
[[nodiscard]] std::string_view text(const simdjson::dom::object& from, std::string_view name);
/// An object; std::nullopt if there is none.
[[nodiscard]] std::optional<simdjson::dom::object> object(const simdjson::dom::object& from,
                                                          std::string_view name);
/// An array; std::nullopt if there is none.
[[nodiscard]] std::optional<simdjson::dom::array> array(const simdjson::dom::object& from,
                                                        std::string_view name);
/// A number.
[[nodiscard]] double number(const simdjson::dom::object& from, std::string_view name);
/// A count, clamped to a range in which sums don't overflow.
[[nodiscard]] std::uint64_t count(const simdjson::dom::object& from,
                                  std::string_view name = "count");
/// A duration that JSON states in milliseconds, clamped to 0 to longest_duration.
[[nodiscard]] std::chrono::nanoseconds millis(const simdjson::dom::object& from,
                                              std::string_view name);

/// Sets the namespace, command, shape (the command's text without values), callers and verdict
/// of the row `to`. Audit lines and reports use the same member names for these. Leaves counts
/// and times unchanged.
void read_names(const simdjson::dom::object& from, digest::row& to);

}  // namespace scattergate::report::json_members
