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

/// Milliseconds as all of our JSON has them: 1.500.
[[nodiscard]] std::string millis(std::chrono::nanoseconds duration);

/// The same as a member.
void append_millis(text::json_writer& to, std::string_view name,
                   std::chrono::nanoseconds duration);

/// The object `name` (`durationMillis` of docs/report.schema.json); null where no time is
/// known.
void append_durations(text::json_writer& to, std::string_view name,
                      std::chrono::nanoseconds total, std::chrono::nanoseconds longest,
                      const time_histogram& times);

/// The same of a shape: a quantile is null where only sums of times are known.
void append_durations(text::json_writer& to, std::string_view name, const row& of);

/// The shard requests that commands wasted. Nothing where the fan-out of none of them is known;
/// a command on an unsharded collection wastes none.
[[nodiscard]] std::optional<std::uint64_t> waste_of(const counts& of);

/// The member `callers`: these, and one of `others` that aren't told apart, where there are
/// any.
void append_callers(text::json_writer& to, const std::vector<caller>& who,
                    std::uint64_t others);

/// A list of texts and how often each was:
/// "errorNames":[{"name":"Unauthorized","count":10},{"other":true,"count":2}]. Nothing where
/// there are none.
void append_texts(text::json_writer& to, std::string_view name, std::string_view text_name,
                  const text_counts& of);

}  // namespace scattergate::digest
