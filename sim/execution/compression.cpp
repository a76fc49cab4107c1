#include "sim/execution/compression.hpp"

#include <limits>
#include <span>

#include "sim/execution/arguments.hpp"
#include "wire/decompressor.hpp"

namespace scattergate::sim {
array agreed_compressors(const document& hello) {
  array out;
  for (const value& offered : array_argument(hello, "compression")) {
    const auto* name = offered.as<std::string>();
    const auto found = name == nullptr ? std::nullopt : wire::compressor_named(*name);
    if (found && *found != wire::compressor::none) out.emplace_back(*name);
  }
  return out;
}

bool unpack(wire::message_header& header, std::vector<std::byte>& message,
            std::optional<wire::compressor>& algorithm) {
  static wire::decompressor decompressor;  // used by one thread only
  algorithm.reset();
  if (header.op != wire::opcode::compressed) return true;
  constexpr std::size_t any_ratio = std::numeric_limits<std::size_t>::max();
  const auto packed = wire::parse_op_compressed(header, message, any_ratio);
  if (!packed) return false;
  std::vector<std::byte> unpacked(static_cast<std::size_t>(packed->original.length));
  if (!decompressor.unpack(*packed, unpacked)) return false;
  header = packed->original;
  algorithm = packed->by;
  message = std::move(unpacked);
  return true;
}

std::string pack(const std::string& message, wire::compressor algorithm) {
  const auto packed = wire::compress(std::as_bytes(std::span{message}), algorithm);
  return {reinterpret_cast<const char*>(packed.data()), packed.size()};
}

}  // namespace scattergate::sim
