#pragma once

#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// Formats advice as JSON (docs/advise.schema.json). Collections and candidates keep the order
/// that they have in `of`.
[[nodiscard]] std::string advice_json(const advice& of);

}  // namespace scattergate::advise
