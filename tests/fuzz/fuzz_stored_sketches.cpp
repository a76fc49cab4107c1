#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "digest/sketches/salt.hpp"
#include "digest/sketches/stored_sketches.hpp"
#include "tests/fuzz/require.hpp"
#include "wire/crc32c.hpp"

/// The input is sketches from anybody: they are read or refused; what is read is written again
/// and read as the same, keeps its bounds and can be added to others. The checksum is mended
/// too, because no fuzzer guesses one.
namespace {

using scattergate::fuzz::require;
using namespace scattergate::digest;

void check(const sketch_set& read) {
  require(read.size() <= sketch_set::max_collections);
  for (const collection_sketches* each : read.all()) {
    require(each->fields().size() <= collection_sketches::max_fields);
    require(each->pairs().size() <= collection_sketches::max_pairs);
    for (const auto& field : each->fields()) {
      const double distinct = field.of.values.distinct().estimate();
      require(distinct >= 0);
      for (const common_value& one : field.of.values.commonest().ranked()) {
        require(one.error <= one.count);
      }
    }
  }
  const std::string written = stored_sketches(read);
  if (read.size() == 0) return require(written.empty());
  const auto again = read_stored_sketches(written);
  require(again && stored_sketches(*again) == written);
  sketch_set sum{read.salt_id()};
  sum.add(read);
  sum.add(read);
  require(sum.size() == read.size());
}

std::string mended(std::string_view text) {
  const std::size_t end = text.find("\n{\"end\":");
  const std::string lines{text.substr(0, end == text.npos ? text.size() : end + 1)};
  const std::uint32_t sum = scattergate::wire::crc32c(0, std::as_bytes(std::span{lines}));
  return lines + R"({"end":true,"crc32c":")" + hex_text(sum, 8) + "\"}\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const std::string_view found = sketches_in(text);
  require(found.empty() || found.starts_with(stored_sketches_begin));
  for (const std::string& each : {std::string{found}, mended(found), mended(text)}) {
    if (const auto read = read_stored_sketches(each)) check(*read);
  }
  return 0;
}
