#pragma once

#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// docs/advise.schema.json holds it. Collections in the order of their names, candidates the
/// best first.
[[nodiscard]] std::string advice_json(const advice& of);

}  // namespace scattergate::advise
