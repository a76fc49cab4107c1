#pragma once

#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// The recommendation for a collection, as sentences. Names the best safe key, with its main
/// gain and its losses against the present key. If another key ranks first, also names that
/// key, and the worst objection to it. If no key is safe, says so. If there is no candidate, or
/// no command can be judged, says why there is no recommendation.
[[nodiscard]] std::string conclusion_text(const collection_advice& of);

/// The criteria by which a key is clearly better than `present`, as text: "1.10 shards per
/// command instead of 1.39". Several are separated by semicolons. Empty: none.
[[nodiscard]] std::string gains_text(const candidate& one, const candidate& present);

/// The criteria by which a key is clearly worse than `present`, as text in the form of
/// gains_text(); then the number of commands that scatter with the key, but not today. Empty:
/// none.
[[nodiscard]] std::string losses_text(const candidate& one, const candidate& present);

/// The present key's candidate; null if the collection isn't sharded.
[[nodiscard]] const candidate* present_in(const collection_advice& of) noexcept;

}  // namespace scattergate::advise
