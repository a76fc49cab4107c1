#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <bson/bson.h>

#include "routing/catalog/catalog.hpp"
#include "routing/shape/shape.hpp"
#include "routing/words/query_shape_hash.hpp"
#include "tests/fuzz/require.hpp"
#include "wire/command.hpp"
#include "wire/limits.hpp"

/// For any command, its shape is bounded, closes the brackets that it opens, is valid UTF-8
/// without control characters, and doesn't depend on the scratch memory's previous content.
/// The input is one message, header included.
namespace {

using scattergate::fuzz::require;
using namespace scattergate;

/// The brackets outside of strings pair up, and the last one closes the first.
void require_closed(const std::string& shape) {
  std::string open;
  bool in_string = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const char c = shape[i];
    require(static_cast<unsigned char>(c) >= 0x20);
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') open.push_back(c == '{' ? '}' : ']');
    if (c == '}' || c == ']') {
      require(!open.empty() && open.back() == c);
      open.pop_back();
      require(!open.empty() || i + 1 == shape.size());
    }
  }
  require(open.empty() && !in_string);
  require(bson_utf8_validate(shape.data(), shape.size(), false));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto whole = std::as_bytes(std::span{data, size});
  if (size < wire::limits::header_bytes) return 0;
  const auto header = wire::parse_header(whole.first<wire::limits::header_bytes>());
  if (!header) return 0;
  const auto command = wire::parse_command(*header, whole);
  if (!command) return 0;

  static std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  std::memset(block.data(), 0, block.size());
  const std::string shape = routing::shape_json(*command, memory);
  const std::uint64_t hash = routing::shape_hash(*command, memory);
  std::memset(block.data(), 0xAA, block.size());
  require(shape == routing::shape_json(*command, memory));
  require(hash == routing::shape_hash(*command, memory));

  require(shape.size() <= routing::max_shape_bytes);
  require_closed(shape);
  const std::string cut = routing::shape_json(*command, memory, 200);
  require(cut.size() <= 200);
  require_closed(cut);

  static const auto version_8 = [] {
    routing::catalog_builder builder;
    builder.set_version({8, 0});
    return builder.build();
  }();
  const std::string theirs = routing::query_shape_hash(*command, *version_8);
  require(theirs.empty() || theirs.size() == 64);
  return 0;
}
