#pragma once

#include <optional>
#include <string>

#include "digest/sketches/salt.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// Reads the salt from a file (advise.salt_file). Creates the file, with mode 0600 and a new
/// salt, if it doesn't exist; safe if two processes do so concurrently. A problem names the
/// path.
[[nodiscard]] text::result<digest::salt> salt_in(const std::string& path);

/// Why an existing salt file can't be used; std::nullopt if it can, or doesn't exist. Changes
/// nothing.
[[nodiscard]] std::optional<text::problem> salt_file_problem(const std::string& path);

/// A problem if users other than the file's owner may read or write it.
[[nodiscard]] std::optional<text::problem> salt_exposed(const std::string& path);

}  // namespace scattergate::telemetry
