#include <cstdint>
#include <span>

#include "tests/fuzz/judging.hpp"

/// For any bytes as a command, its judgement obeys the rules of judging.hpp. The input is one
/// message, header included. (fuzz_classify_json gets further into the filters.)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scattergate;
  const auto whole = std::as_bytes(std::span{data, size});
  if (size < wire::limits::header_bytes) return 0;
  const auto header = wire::parse_header(whole.first<wire::limits::header_bytes>());
  if (!header) return 0;
  const auto command = wire::parse_command(*header, whole);
  if (command) fuzz::check_judgement(*command, size % 512);
  return 0;
}
