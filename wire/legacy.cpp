#include "wire/legacy.hpp"

#include <cstdint>
#include <cstring>

#include "wire/limits.hpp"

namespace scattergate::wire {

bool names_namespace(opcode op) noexcept {
  return op == opcode::query || op == opcode::get_more || op == opcode::insert ||
         op == opcode::update || op == opcode::delete_;
}

std::optional<std::string_view> legacy_namespace(std::span<const std::byte> start) noexcept {
  // In all these messages, the namespace follows one int32: flags, or zero.
  constexpr std::size_t name_at = limits::header_bytes + sizeof(std::int32_t);
  if (start.size() <= name_at) return std::nullopt;
  const auto rest = start.subspan(name_at);
  const void* const end = std::memchr(rest.data(), 0, rest.size());
  if (end == nullptr) return std::nullopt;
  return std::string_view{
      reinterpret_cast<const char*>(rest.data()),
      static_cast<std::size_t>(static_cast<const std::byte*>(end) - rest.data())};
}

}  // namespace scattergate::wire
