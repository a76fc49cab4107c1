#include "sim/execution/compression.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>

#include "sim/execution/arguments.hpp"
#include "wire/decompressor.hpp"

namespace scattergate::sim {
namespace {

bool has(const std::vector<wire::compressor>& list, wire::compressor requested) {
  return std::find(list.begin(), list.end(), requested) != list.end();
}

}  // namespace

std::vector<wire::compressor> compressors_of(std::string_view list) {
  std::vector<wire::compressor> out;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    const auto found = wire::compressor_named(name);
    if (!found || *found == wire::compressor::none) {
      throw std::runtime_error("not a compressor: " + std::string{name});
    }
    out.push_back(*found);
    list.remove_prefix(std::min(list.size(), name.size() + 1));
  }
  return out;
}

array agreed_compressors(const document& hello, const std::vector<wire::compressor>& enabled) {
  array out;
  for (const value& offered : array_argument(hello, "compression")) {
    const auto* name = offered.as<std::string>();
    const auto found = name == nullptr ? std::nullopt : wire::compressor_named(*name);
    if (found && has(enabled, *found)) out.emplace_back(*name);
  }
  return out;
}

bool unpack(wire::message_header& header, std::vector<std::byte>& message,
            const std::vector<wire::compressor>& enabled,
            std::optional<wire::compressor>& algorithm) {
  static wire::decompressor decompressor;  // used by one thread only
  algorithm.reset();
  if (header.op != wire::opcode::compressed) return true;
  constexpr std::size_t any_ratio = std::numeric_limits<std::size_t>::max();
  const auto packed = wire::parse_op_compressed(header, message, any_ratio);
  const bool is_ours =
      packed && (packed->by == wire::compressor::none || has(enabled, packed->by));
  if (!is_ours) return false;
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
