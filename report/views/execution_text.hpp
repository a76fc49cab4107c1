#pragma once

#include <string>

#include "digest/row.hpp"
#include "digest/table.hpp"

/// What is known of how a shape's commands were run, in words for every view.
namespace scattergate::report {

/// How many commands asked how many shards: "120 x 1 shard, 87 x 6 shards". Empty where all
/// asked the same number, or it isn't known.
[[nodiscard]] std::string fanouts_text(const digest::row& of);

/// How many failed, and by which errors: "12 (10 x Unauthorized, ...)". Empty where none did.
[[nodiscard]] std::string errors_text(const digest::row& of);

/// Names the errors of all shapes of a table, with their counts.
[[nodiscard]] std::string errors_text(const digest::table& of);
[[nodiscard]] digest::text_counts errors_of(const digest::table& of);

/// "41 documents examined by each, 512 at most". Empty where it isn't known.
[[nodiscard]] std::string docs_text(const digest::row& of);

/// "4,322 bytes each, 8,000 at most". Empty where it isn't known.
[[nodiscard]] std::string replies_text(const digest::row& of);

/// "30 x IXSCAN { a: 1 }, 2 x COLLSCAN". Empty where it isn't known.
[[nodiscard]] std::string plans_text(const digest::row& of);

}  // namespace scattergate::report
