#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <bson/bson.h>

#include "config/text/extended_json.hpp"
#include "config/text/text_readers.hpp"
#include "tests/fuzz/require.hpp"

/// Any text that is accepted as Extended JSON makes a document that can be read to its end, no
/// deeper and no larger than allowed, and it comes back the same from the canonical text that
/// libbson writes of it. The input is the text.
namespace {

using scattergate::fuzz::require;
using namespace scattergate;

/// The nesting depth; reads every element.
std::size_t walk(wire::document_view top) {
  std::vector<wire::document_reader> levels{wire::document_reader{top}};
  std::size_t depth = 1;
  while (!levels.empty()) {
    wire::element field;
    if (levels.back().next(field)) {
      const auto inner = field.as_container();
      require(inner.has_value() == (field.is_document() || field.is_array()));
      if (inner) levels.emplace_back(*inner);
      depth = std::max(depth, levels.size());
      continue;
    }
    require(!levels.back().is_corrupt());
    levels.pop_back();
  }
  return depth;
}

void require_same_again(wire::document_view made) {
  bson_t document;
  require(bson_init_static(&document,
                           reinterpret_cast<const std::uint8_t*>(made.bytes().data()),
                           made.size_bytes()));
  std::size_t size = 0;
  const std::unique_ptr<char, decltype(&bson_free)> text{
      bson_as_canonical_extended_json(&document, &size), &bson_free};
  require(text != nullptr);
  const auto again = config::bson_of_json({text.get(), size});
  require(again.has_value());
  require(std::ranges::equal(again->bytes, made.bytes()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = config::bson_of_json({reinterpret_cast<const char*>(data), size});
  if (!read) {
    require(!read.error().what.empty() && read.error().line == 1);
    return 0;
  }
  const config::bson_bytes& made = *read;
  require(made.bytes.size() <= wire::limits::max_document_bytes);
  const std::size_t depth = walk(made.view());
  require(depth <= config::max_json_depth);
  constexpr std::size_t libbson_depth = 100;  // it writes "..." of what is deeper
  if (depth < libbson_depth) require_same_again(made.view());
  return 0;
}
