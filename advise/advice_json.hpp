#pragma once

#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// Formats advice as JSON (docs/advise.schema.json): collections sorted by name, candidates
/// best first.
[[nodiscard]] std::string advice_json(const advice& of);

}  // namespace scattergate::advise
