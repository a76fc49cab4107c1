#pragma once

#include <filesystem>

namespace scattergate::tests {

/// The path of the repository that the tests were built from. Tests read docs and recorded
/// answers in it. Only source_folder.cpp contains the path, so that clones of the repository
/// can share all other compiled files in a compiler cache.
std::filesystem::path source_folder();

}  // namespace scattergate::tests
