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

/// Milliseconds in our JSON format: 1.500.
[[nodiscard]] std::string millis(std::chrono::nanoseconds duration);

/// Appends a member with milliseconds, as millis() formats them.
void append_millis(text::json_writer& to, std::string_view name,
                   std::chrono::nanoseconds duration);

/// Appends the object `name` (`durationMillis` of docs/report.schema.json); null if no duration
/// is known.
void append_durations(text::json_writer& to, std::string_view name,
                      std::chrono::nanoseconds total, std::chrono::nanoseconds longest,
                      const time_histogram& times);

/// Appends a shape's durations; a quantile is null if only sums are known.
void append_durations(text::json_writer& to, std::string_view name, const row& of);

/// The wasted shard requests of commands. Nothing if no fan-out is known; commands on unsharded
/// collections waste none.
[[nodiscard]] std::optional<std::uint64_t> waste_of(const counts& of);

/// Appends the member `callers`, with an entry `others` for the rest, if any.
void append_callers(text::json_writer& to, const std::vector<caller>& who,
                    std::uint64_t others);

/// Appends a list of texts with their counts, unless it is empty:
/// "errorNames":[{"name":"Unauthorized","count":10},{"other":true,"count":2}].
void append_texts(text::json_writer& to, std::string_view name, std::string_view text_name,
                  const text_counts& of);

}  // namespace scattergate::digest
