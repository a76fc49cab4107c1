#pragma once

#include <string>

#include "digest/row.hpp"
#include "digest/table.hpp"

/// Texts about how the commands of a shape (a row of the digest) were run, for all views.
namespace scattergate::report {

/// The distribution of fan-outs (numbers of asked shards): "120 x 1 shard, 87 x 6 shards".
/// Empty if all are equal or unknown.
[[nodiscard]] std::string fanouts_text(const digest::row& of);

/// The number of failed commands, with their errors: "12 (10 x Unauthorized, ...)". Empty if
/// none failed.
[[nodiscard]] std::string errors_text(const digest::row& of);

/// The errors of all shapes of a table as text, with their counts. Empty if none failed.
[[nodiscard]] std::string errors_text(const digest::table& of);
/// The errors of all shapes of a table, counted by name.
[[nodiscard]] digest::text_counts errors_of(const digest::table& of);

/// The commands that a proxy's rules accepted, and the rules: "110 of 120 commands, by
/// housekeeping: rare maintenance". Empty if no command was accepted, or the source doesn't
/// say.
[[nodiscard]] std::string accepted_text(const digest::row& of);

/// The number of documents that a command examined, on average and at most: "41 examined by
/// each, 512 at most". Empty if unknown.
[[nodiscard]] std::string docs_text(const digest::row& of);

/// The size of a reply, on average and at most: "4,322 bytes each, 8,000 at most". Empty if
/// unknown.
[[nodiscard]] std::string replies_text(const digest::row& of);

/// Texts with their counts, such as plans (MongoDB's planSummary): "30 x IXSCAN { a: 1 }, 2 x
/// COLLSCAN". Empty if there are none.
[[nodiscard]] std::string counted_text(const digest::text_counts& of);

}  // namespace scattergate::report
