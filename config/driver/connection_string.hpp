#pragma once

#include <string>
#include <string_view>

#include "text/problem.hpp"

/// Connection strings, as mongo-c-driver reads them.
namespace scattergate::config {

/// One with what it hides left out: `mongodb://user:***@host/`. For logs and for
/// `scattergate config`.
[[nodiscard]] std::string hide_password(std::string_view uri);

/// Whether one can be used. A problem doesn't cite it.
[[nodiscard]] text::result<void> check_connection_string(const std::string& uri);

}  // namespace scattergate::config
