#include <cstdint>
#include <optional>
#include <span>

#include "report/sources/source.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/reading.hpp"

/// The input is read twice: as a file of the kind detected by its content, and as a recording.
/// Each time it is read to its end, or the reason why not is given.
namespace {

using namespace scattergate;

void read(const std::string& path, std::optional<report::source_kind> as) {
  report::input from{path};
  fuzz::require(!from.problem());
  report::source source{from, as};
  fuzz::checked_reading heard;
  source.read(heard, [](const report::input&) { return true; });
  const bool is_whole = !source.end().problem && !from.problem();
  fuzz::require(!is_whole || from.peek(1).empty());
  heard.check();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::memory_file file{{data, size}};
  read(file.path(), std::nullopt);
  read(file.path(), report::source_kind::recording);
  return 0;
}
