#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/callers.hpp"
#include "digest/execution.hpp"
#include "digest/row.hpp"
#include "digest/time_histogram.hpp"
#include "text/json_writer.hpp"

namespace scattergate::digest {

/// Formats a duration as milliseconds for JSON: 1.500.
[[nodiscard]] std::string millis(std::chrono::nanoseconds duration);

/// Appends a member with a duration in milliseconds, as formatted by millis().
void append_millis(text::json_writer& to, std::string_view name,
                   std::chrono::nanoseconds duration);

/// Appends durations as an object (`durationMillis` in docs/report.schema.json). Appends null
/// if `times` is empty.
void append_durations(text::json_writer& to, std::string_view name,
                      std::chrono::nanoseconds total, std::chrono::nanoseconds longest,
                      const time_histogram& times);

/// Appends a row's durations as an object (`durationMillis` in docs/report.schema.json).
/// Appends null if no duration is known. The quantiles in the object are null if some durations
/// are known only as a sum.
void append_durations(text::json_writer& to, std::string_view name, const row& of);

/// The number of wasted shard requests: those beyond the first of each command. std::nullopt if
/// the number is unknown (see known_waste()) or if there are no commands.
[[nodiscard]] std::optional<std::uint64_t> waste_of(const counts& of);

/// Appends the member `callers`: one entry per sender. `others`: the number of commands of all
/// further senders, appended as a last entry unless it is 0.
void append_callers(text::json_writer& to, const std::vector<caller>& who,
                    std::uint64_t others);

/// Appends an array of texts with their counts. Appends nothing if there are none. With `name`
/// = "errorNames" and `text_name` = "name":
/// "errorNames":[{"name":"Unauthorized","count":10},{"other":true,"count":2}]
void append_texts(text::json_writer& to, std::string_view name, std::string_view text_name,
                  const text_counts& of);

}  // namespace scattergate::digest
