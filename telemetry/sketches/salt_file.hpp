#pragma once

#include <optional>
#include <string>

#include "digest/sketches/salt.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// Reads the salt of a file (advise.salt_file); makes the file, with mode 0600 and a new salt,
/// if it doesn't exist. Safe if two processes do it at once. The problem's place is the path.
[[nodiscard]] text::result<digest::salt> salt_in(const std::string& path);

/// Why an existing salt file isn't usable, without changing anything; nothing if it is, or
/// doesn't exist.
[[nodiscard]] std::optional<text::problem> salt_file_problem(const std::string& path);

/// A problem if others than the file's owner may read or write it.
[[nodiscard]] std::optional<text::problem> salt_exposed(const std::string& path);

}  // namespace scattergate::telemetry
