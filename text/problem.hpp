#pragma once

#include <string>

namespace scattergate::text {

/// What is wrong with a file, an environment variable or a flag, and where.
struct problem {
  std::string where;  ///< "scattergate.yaml:12", "SCATTERGATE_AUDIT_FILE", "--threads"
  std::string what;   ///< in words
  friend bool operator==(const problem&, const problem&) = default;
};

/// "where: what".
[[nodiscard]] std::string to_string(const problem& problem);

}  // namespace scattergate::text
