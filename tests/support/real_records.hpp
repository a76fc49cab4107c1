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

/// Where it is written what real clusters of MongoDB replied, as much as the tests need.
inline std::filesystem::path real_facts() {
  return source_folder() / "tests/real";
}

/// Where all that was recorded is: what the environment says, otherwise next to the repository;
/// nothing if it isn't here.
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
