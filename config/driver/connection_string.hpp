#pragma once

#include <string>
#include <string_view>

#include "text/problem.hpp"

/// Prints and checks connection strings, as mongo-c-driver reads them.
namespace scattergate::config {

/// Returns a connection string for logs and for `scattergate config`, with its secrets
/// replaced: `mongodb://user:***@host/`.
[[nodiscard]] std::string hide_password(std::string_view uri);

/// Hides the secrets of every connection string in a text, which may quote a user's argument.
/// A connection string ends at white space or a quotation mark.
[[nodiscard]] std::string hide_passwords(std::string_view text);

/// Checks whether mongo-c-driver accepts the connection string. The returned problem doesn't
/// quote the string, which may contain a password.
[[nodiscard]] text::result<void> check_connection_string(const std::string& uri);

}  // namespace scattergate::config
