#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/callers.hpp"
#include "digest/execution.hpp"
#include "digest/object_writer.hpp"
#include "digest/row.hpp"
#include "digest/time_histogram.hpp"

namespace scattergate::digest {

/// Milliseconds as all of our JSON has them: 1.500.
[[nodiscard]] std::string millis(std::chrono::nanoseconds duration);

/// In quotes, or null.
[[nodiscard]] std::string time_json(const std::optional<wall_time>& time);

/// The object `durationMillis` (docs/report.schema.json); null where no time is known.
[[nodiscard]] std::string durations_json(std::chrono::nanoseconds total,
                                         std::chrono::nanoseconds longest,
                                         const time_histogram& times);

/// The same of a shape: a quantile is null where only sums of times are known.
[[nodiscard]] std::string durations_json(const row& of);

/// The shard requests that commands wasted. Null where the fan-out of none of them is known; a
/// command on an unsharded collection wastes none.
[[nodiscard]] std::string waste_json(const counts& of);

/// The member `callers` of an object that goes to `json`: these, and one of `others` that
/// aren't told apart, where there are any.
void append_callers(object_writer& to, std::string& json, const std::vector<caller>& who,
                    std::uint64_t others);

/// A further member of an object, a list of texts and how often each was:
/// ,"errorNames":[{"name": "Unauthorized","count":10},{"other":true,"count":2}]. Nothing where
/// there are none.
void append_texts(std::string& json, std::string_view name, std::string_view text_name,
                  const text_counts& of);

}  // namespace scattergate::digest
