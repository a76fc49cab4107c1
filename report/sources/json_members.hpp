#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "digest/row.hpp"

/// Members of JSON objects that a proxy or a report has written, as rows hold them. What isn't
/// there, or of another type, is empty or 0; what is larger than any that is written, too.
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

/// Namespace, command, shape, who sent it, and what is said of it: what audit lines and shapes
/// of a report name alike. Counts and times are left as they are.
void read_names(const simdjson::dom::object& from, digest::row& to);

}  // namespace scattergate::report::json_members
