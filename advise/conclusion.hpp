#pragma once

#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// A recommendation of the best safe key, with the numbers that speak for it. If no key is
/// safe: the worst objection to the key that ranks first.
[[nodiscard]] std::string conclusion_text(const collection_advice& of);

/// The criteria in which a key is clearly better than `present`: "1.10 shards per command
/// instead of 1.39". Empty: none.
[[nodiscard]] std::string gains_text(const candidate& one, const candidate& present);

/// The criteria in which a key is clearly worse than `present`, and the number of commands that
/// would ask every shard and don't today. Empty: none.
[[nodiscard]] std::string losses_text(const candidate& one, const candidate& present);

/// The present key's candidate; null if the collection isn't sharded.
[[nodiscard]] const candidate* present_in(const collection_advice& of) noexcept;

}  // namespace scattergate::advise
