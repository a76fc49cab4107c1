#pragma once

#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// The recommendation for a collection, as sentences: the best safe key, with the numbers in
/// its favor. If no key is safe: the key that ranks first, and the worst objection to it. If
/// there is no candidate, or no command can be judged: a sentence that says so.
[[nodiscard]] std::string conclusion_text(const collection_advice& of);

/// The criteria by which a key is clearly better than `present`, as in "1.10 shards per command
/// instead of 1.39". Empty if there are none.
[[nodiscard]] std::string gains_text(const candidate& one, const candidate& present);

/// The criteria by which a key is clearly worse than `present`, and the number of commands
/// that scatter with the key, but not today. Empty if there are none.
[[nodiscard]] std::string losses_text(const candidate& one, const candidate& present);

/// The present key's candidate; null if the collection isn't sharded.
[[nodiscard]] const candidate* present_in(const collection_advice& of) noexcept;

}  // namespace scattergate::advise
