#pragma once

#include <optional>
#include <string>

#include "digest/sketches/salt.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// Reads the salt with which sketches hash values, from a file (advise.salt_file). If the file
/// doesn't exist, creates it with mode 0600 and a new salt; this is safe if two processes start
/// at once. On failure, the problem names the path.
[[nodiscard]] text::result<digest::salt> salt_in(const std::string& path);

/// Why an existing salt file can't be used; std::nullopt if it can, or doesn't exist. Changes
/// nothing.
[[nodiscard]] std::optional<text::problem> salt_file_problem(const std::string& path);

/// A problem if the file's mode lets its group or others access it; std::nullopt if not, or if
/// the file doesn't exist.
[[nodiscard]] std::optional<text::problem> salt_exposed(const std::string& path);

}  // namespace scattergate::telemetry
