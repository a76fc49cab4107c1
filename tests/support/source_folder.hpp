#pragma once

#include <filesystem>

namespace scattergate::tests {

/// The repository that the tests were built from: they read its docs and recorded answers. Its
/// path is compiled into source_folder.cpp alone, so that a compiler cache serves all else to
/// every clone.
std::filesystem::path source_folder();

}  // namespace scattergate::tests
