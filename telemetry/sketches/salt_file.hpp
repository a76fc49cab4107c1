#pragma once

#include <optional>
#include <string>

#include "digest/sketches/salt.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// Reads the salt from a file (advise.salt_file). The salt is a random key, by which sketches
/// (statistics of fields' values) hash values. If the file doesn't exist, creates it with mode
/// 0600 and a new salt. Two processes that start at once get the same salt. On failure, returns
/// a problem that names the path.
[[nodiscard]] text::result<digest::salt> salt_in(const std::string& path);

/// Why an existing salt file can't be used: salt_exposed(), or no valid salt in it.
/// std::nullopt if the file can be used or doesn't exist. Changes nothing.
[[nodiscard]] std::optional<text::problem> salt_file_problem(const std::string& path);

/// A problem if the salt file's mode lets the group or other users access it; std::nullopt if
/// only the owner can, or if the file doesn't exist.
[[nodiscard]] std::optional<text::problem> salt_exposed(const std::string& path);

}  // namespace scattergate::telemetry
