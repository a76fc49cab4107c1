#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

/// Runs a fuzz target once over each file of a corpus, so that what a fuzzer found stays
/// tested if there is none. Arguments: files, or folders whose files are taken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
/// What a target does before its first input, if it does anything.
extern "C" [[gnu::weak]] int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

std::vector<std::filesystem::path> files_of(const std::filesystem::path& argument) {
  if (!std::filesystem::is_directory(argument)) return {argument};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{argument}) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

bool replay(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) {
    std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
    return false;
  }
  const std::vector<char> content{std::istreambuf_iterator<char>{in}, {}};
  // The name comes first: a target that fails ends the program.
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&argc, &argv);
  std::size_t replayed = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& file : files_of(argv[i])) {
      if (!replay(file)) return 1;
      ++replayed;
    }
  }
  if (replayed != 0) return 0;
  std::fprintf(stderr, "usage: %s FILE|FOLDER...: no file given\n", argv[0]);
  return 2;
}
