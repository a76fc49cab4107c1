#pragma once

#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// The advice as JSON (docs/advise.schema.json): collections by name, candidates best first.
[[nodiscard]] std::string advice_json(const advice& of);

}  // namespace scattergate::advise
