#include <cstdint>
#include <span>
#include <vector>

#include "tests/fuzz/require.hpp"
#include "wire/command.hpp"
#include "wire/compressed.hpp"
#include "wire/limits.hpp"

/// Any message marked as compressed is unpacked to exactly the size that it claims, or
/// refused; what was unpacked packs and unpacks to the same again. The input is one message,
/// header included.
namespace {

using scattergate::fuzz::require;
using namespace scattergate::wire;

constexpr std::size_t scratch_bytes = 1 << 20;
constexpr std::byte untouched{0xaa};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static decompressor unpacker;
  static std::vector<std::byte> scratch(scratch_bytes);
  const auto whole = std::as_bytes(std::span{data, size});
  if (size < limits::header_bytes) return 0;
  const auto header = parse_header(whole.first<limits::header_bytes>());
  if (!header) return 0;
  const auto packed = parse_op_compressed(*header, whole);
  if (!packed) return 0;
  const auto claimed = static_cast<std::size_t>(packed->original.length);
  require(claimed <= limits::max_message_bytes);
  if (claimed < scratch_bytes) scratch[claimed] = untouched;
  const auto message = unpacker.unpack(*packed, scratch);
  if (claimed < scratch_bytes) require(scratch[claimed] == untouched);
  if (!message) return 0;

  require(message->size() == claimed && message->data() == scratch.data());
  const auto original = parse_header(message->first<limits::header_bytes>());
  require(original && original->op == packed->original.op);
  if (const auto found = parse_command(*original, *message)) {
    require(found->request_id == header->request_id);
  }
  const std::vector<std::byte> kept(message->begin(), message->end());
  const auto again = compress(kept, packed->by);
  const auto again_header = parse_header(std::span{again}.first<limits::header_bytes>());
  require(again_header.has_value());
  const auto again_packed = parse_op_compressed(*again_header, again);
  if (!again_packed) {
    // Ours may be better than the client's, and then look like a bomb.
    require(again_packed.error() == wire_errc::compression_ratio);
    return 0;
  }
  const auto same = unpacker.unpack(*again_packed, scratch);
  require(same && std::vector<std::byte>(same->begin(), same->end()) == kept);
  return 0;
}
