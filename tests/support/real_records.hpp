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

/// The folder with replies of real MongoDB clusters that the tests need; part of the
/// repository.
inline std::filesystem::path real_facts() {
  return source_folder() / "tests/real";
}

/// The folder with all recorded replies, which isn't part of the repository: named by the
/// environment variable SCATTERGATE_REAL_RECORDS, otherwise ../shared/real. std::nullopt if
/// the folder doesn't exist.
inline std::optional<std::filesystem::path> real_records() {
  const char* named = std::getenv("SCATTERGATE_REAL_RECORDS");
  const auto folder =
      named != nullptr ? std::filesystem::path{named} : source_folder() / "../shared/real";
  if (!std::filesystem::exists(folder)) return std::nullopt;
  return folder;
}

/// The content of a file. Throws std::invalid_argument if it can't be opened.
inline std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file{path};
  if (!file) throw std::invalid_argument(path.string() + " can't be read");
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace scattergate::tests
