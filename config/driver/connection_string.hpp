#pragma once

#include <string>
#include <string_view>

#include "text/problem.hpp"

/// Connection strings, as mongo-c-driver reads them.
namespace scattergate::config {

/// Returns the connection string with its secrets replaced: `mongodb://user:***@host/`. For
/// logs and for `scattergate config`.
[[nodiscard]] std::string hide_password(std::string_view uri);

/// Checks whether mongo-c-driver accepts the connection string. The returned problem doesn't
/// quote the string, which may contain a password.
[[nodiscard]] text::result<void> check_connection_string(const std::string& uri);

}  // namespace scattergate::config
