#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/support/source_folder.hpp"

namespace scattergate::tests {

/// The path of the replies of real MongoDB clusters, as far as the tests need them.
inline std::filesystem::path real_facts() {
  return source_folder() / "tests/real";
}

/// The path of all records: from the environment, otherwise next to the repository;
/// std::nullopt if they aren't there.
inline std::optional<std::filesystem::path> real_records() {
  const char* named = std::getenv("SCATTERGATE_REAL_RECORDS");
  const auto folder =
      named != nullptr ? std::filesystem::path{named} : source_folder() / "../shared/real";
  if (!std::filesystem::exists(folder)) return std::nullopt;
  return folder;
}

inline std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file{path};
  if (!file) throw std::invalid_argument(path.string() + " can't be read");
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace scattergate::tests
