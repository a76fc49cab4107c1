#pragma once

#include <string>
#include <string_view>

#include "telemetry/admin/negotiation.hpp"

namespace scattergate::telemetry {

/// Returns `text` compressed with `coding`; prefers speed over ratio. If memory runs out,
/// returns `text` unchanged and sets `coding` to identity.
[[nodiscard]] std::string packed(std::string text, content_coding& coding);

}  // namespace scattergate::telemetry
