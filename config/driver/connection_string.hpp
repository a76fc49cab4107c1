#pragma once

#include <string>
#include <string_view>

#include "text/problem.hpp"

/// Connection strings, as mongo-c-driver reads them.
namespace scattergate::config {

/// The connection string without its secrets: `mongodb://user:***@host/`. For logs and for
/// `scattergate config`.
[[nodiscard]] std::string hide_password(std::string_view uri);

/// Whether the connection string is valid. The problem doesn't quote it.
[[nodiscard]] text::result<void> check_connection_string(const std::string& uri);

}  // namespace scattergate::config
