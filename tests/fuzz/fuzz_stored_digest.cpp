#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "digest/json.hpp"
#include "digest/judge.hpp"
#include "digest/stored.hpp"
#include "tests/fuzz/require.hpp"

/// The input is a stored digest from anybody: it is read or refused, what is read is written
/// again and read as the same, and no more is kept than may be. Its lines are tried as rows
/// too, as no fuzzer guesses a checksum, and judged again.
namespace {

using scattergate::fuzz::require;
using namespace scattergate::digest;

constexpr std::size_t max_rows = 16;

std::string text_of(const row& of) {
  std::string text;
  append_stored(text, of);
  return text;
}

void check_row(std::string_view line) {
  const auto read = stored_row(line);
  if (!read) return;
  std::string text;
  scattergate::text::json_writer json{text};
  append_json(json, *read);
  require(text.find('\n') == text.npos);
  const std::string written = text_of(*read);
  const auto again = stored_row(written);
  require(again && text_of(*again) == written);
  static second_judge judge{scattergate::routing::catalog_builder{}.build()};
  row judged = *read;
  (void)judge.judge_again(judged);
  require(judged.count == read->count && judged.shape_hash == read->shape_hash);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const stored_digest read = read_stored(text, max_rows);
  require(read.rows.size() <= max_rows);
  if (!read.end) {
    const std::string written = stored_text(read.rows);
    const stored_digest again = read_stored(written, max_rows);
    require(!again.end && stored_text(again.rows) == written);
  }
  for (std::size_t at = 0; at < size;) {
    const std::size_t end = std::min(text.find('\n', at), size);
    check_row(text.substr(at, end - at));
    at = end + 1;
  }
  return 0;
}
