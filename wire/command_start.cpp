#include "wire/command_start.hpp"

#include <algorithm>

#include "wire/endian.hpp"
#include "wire/op_msg_layout.hpp"

namespace scattergate::wire {
namespace {

using op_msg_layout::kind_bytes;
using op_msg_layout::length_bytes;
constexpr std::size_t head_bytes = op_msg_layout::sections_at;

/// The offset of the body's section; beyond `start` if `start` is too short to find it.
std::size_t body_section_at(std::span<const std::byte> start) noexcept {
  constexpr std::size_t length_at = head_bytes + kind_bytes;
  constexpr std::size_t length_end = length_at + length_bytes;
  if (start.size() < length_end || start[head_bytes] != section_kind::telemetry) {
    return head_bytes;
  }
  return length_at + load_little<std::uint32_t>(start.data() + length_at);
}

/// The text up to the next NUL; std::nullopt if there is none.
std::optional<std::string_view> name_at(std::span<const std::byte> start, std::size_t at) {
  if (start.size() <= at) return std::nullopt;
  const auto name = start.subspan(at);
  const auto nul = std::find(name.begin(), name.end(), std::byte{0});
  if (nul == name.end()) return std::nullopt;
  return std::string_view{reinterpret_cast<const char*>(name.data()),
                          static_cast<std::size_t>(nul - name.begin())};
}

bool is_section(std::span<const std::byte> start, std::size_t at, std::byte kind) noexcept {
  return at < start.size() && start[at] == kind;
}

}  // namespace

std::optional<std::string_view> name_of_command(std::span<const std::byte> start) noexcept {
  const std::size_t body_at = body_section_at(start);
  if (!is_section(start, body_at, section_kind::body)) return std::nullopt;
  return name_at(start, body_at + op_msg_layout::first_field + 1);  // after its type
}

std::optional<started_command> started_command_in(std::span<const std::byte> start) noexcept {
  const std::size_t body_at = body_section_at(start);
  if (!is_section(start, body_at, section_kind::body)) return std::nullopt;
  const auto rest = start.subspan(body_at + kind_bytes);
  if (rest.size() < length_bytes) return std::nullopt;
  const std::size_t body_bytes = load_little<std::uint32_t>(rest.data());
  if (body_bytes > rest.size()) return std::nullopt;
  const auto body = document_view::from(rest.first(body_bytes));
  const auto what = body ? command_of(*body) : result<command>{wire_errc::bad_bson};
  const std::size_t section_at = body_at + kind_bytes + body_bytes;
  if (!what || !is_section(start, section_at, section_kind::sequence)) return std::nullopt;
  const auto name = name_at(start, section_at + op_msg_layout::sequence_name);
  if (!name) return std::nullopt;
  const std::size_t first = section_at + op_msg_layout::sequence_name + name->size() + 1;
  // Its length doesn't include the kind byte.
  const std::size_t section_end =
      section_at + kind_bytes +
      load_little<std::uint32_t>(start.data() + section_at + kind_bytes);
  const std::size_t end = std::clamp(section_end, first, start.size());
  return started_command{*what, {*name, start.subspan(first, end - first)}, first};
}

}  // namespace scattergate::wire
