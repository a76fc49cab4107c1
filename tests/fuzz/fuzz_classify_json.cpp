#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/extended_json.hpp"
#include "config/text/text_readers.hpp"
#include "routing/classify.hpp"
#include "routing/shape/shape.hpp"
#include "routing/words/describe.hpp"
#include "tests/fuzz/judging.hpp"

/// As fuzz_classify, for commands as `scattergate classify` reads them; what it prints of them
/// is one line of JSON. The input is a command in Extended JSON, sent to the database db where
/// it names none.
namespace {

using namespace scattergate;

void check_printed(const wire::command& command) {
  static const auto entries = fuzz::make_catalog({8, 0});
  static std::vector<std::byte> block(routing::scratch_bytes);
  static std::vector<std::byte> shape_block(routing::scratch_bytes);
  routing::scratch memory{block};
  routing::scratch shape_memory{shape_block};
  const routing::verdict verdict = routing::classify(command, *entries, memory);

  const std::string json = routing::verdict_json(verdict, command, *entries, shape_memory);
  fuzz::require(config::parse_json(json).has_value());
  fuzz::require(json.find('\n') == json.npos);
  const std::string line = routing::verdict_line(verdict, command, *entries);
  fuzz::require(!line.empty());

  std::memset(shape_block.data(), 0xAA, shape_block.size());
  const std::uint64_t hash = routing::shape_hash(command, shape_memory);
  fuzz::require(json.find(routing::shape_hash_text(hash)) != json.npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto body = config::bson_of_json({reinterpret_cast<const char*>(data), size});
  if (!body) return 0;
  auto command = wire::command_of(body->view());
  if (!command) return 0;
  if (command->database.empty()) command->database = "db";
  fuzz::check_judgement(*command, size * 16 % 4096);
  check_printed(*command);
  return 0;
}
