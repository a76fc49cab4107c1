#pragma once

#include <string>
#include <string_view>

#include "telemetry/admin/negotiation.hpp"

namespace scattergate::telemetry {

/// `text` compressed, quickly rather than much; as it is where there is no memory for it.
/// `coding` becomes identity then.
[[nodiscard]] std::string packed(std::string text, content_coding& coding);

}  // namespace scattergate::telemetry
