#include "proxy/judging/verdict_memo.hpp"

#include <algorithm>
#include <utility>

#include "routing/pattern/pattern.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::proxy {
namespace {

// A message's first field contains the command and the collection. The first hashed_bytes of it
// are hashed; no command on a collection has a shorter one.
constexpr std::size_t first_field =
    wire::op_msg_layout::sections_at + wire::op_msg_layout::first_field;
constexpr std::size_t hashed_bytes = 2 * sizeof(std::uint64_t);

/// Hashes the command and the collection. REQUIRES: `message` contains all hashed bytes of the
/// first field.
std::size_t hash_of(std::span<const std::byte> message) noexcept {
  const auto* const field = message.data() + first_field;
  const auto begin = wire::load_little<std::uint64_t>(field);
  const auto end = wire::load_little<std::uint64_t>(field + sizeof begin);
  return wire::seeded_hash(begin, end);
}

/// The message without a telemetry section that precedes its command, so that the first field
/// is always at the same offset. Empty if the message is too short to contain a command.
std::span<const std::byte> from_command(std::span<const std::byte> message) noexcept {
  constexpr std::size_t kind_at = wire::op_msg_layout::sections_at;
  constexpr std::size_t length_at = kind_at + wire::op_msg_layout::kind_bytes;
  if (message.size() < first_field + hashed_bytes) return {};
  if (message[kind_at] != wire::section_kind::telemetry) return message;
  const std::size_t length = wire::load_little<std::uint32_t>(message.data() + length_at);
  const std::size_t section_bytes = wire::op_msg_layout::kind_bytes + length;
  const auto rest = message.subspan(std::min(section_bytes, message.size()));
  return rest.size() < first_field + hashed_bytes ? std::span<const std::byte>{} : rest;
}

}  // namespace

/// `command`: the result of from_command(), not empty.
verdict_memo::address verdict_memo::address_of(
    std::span<const std::byte> command) const noexcept {
  const std::size_t name = hash_of(command) % names;
  if (!is_crowded_[name]) return {name};
  return {name, true, routing::outline_hash(command.subspan(wire::op_msg_layout::sections_at))};
}

const verdict_memo::entry* verdict_memo::find(
    std::span<const std::byte> message) const noexcept {
  const auto command = from_command(message);
  if (command.empty()) return nullptr;
  const address where = address_of(command);
  const set* const found = at(where).get();
  if (found == nullptr) return nullptr;
  for (const way& each : std::span{found->kinds}.first(found->used)) {
    if (each.outline == where.outline && each.kept->like.matches(message)) {
      return &each.kept->known;
    }
  }
  return nullptr;
}

bool verdict_memo::accepts(std::span<const std::byte> message) noexcept {
  const auto command = from_command(message);
  if (command.empty()) return false;
  const std::size_t name = hash_of(command) % names;
  if (by_name_[name] != nullptr && by_name_[name]->used == few) {
    is_crowded_.set(name);
    by_name_[name].reset();
  }
  constexpr std::uint32_t one_in = 16;
  const set* const kinds = at(address_of(command)).get();
  return kinds == nullptr || kinds->used < ways || ++rejected_ % one_in == 0;
}

void verdict_memo::keep(std::span<const std::byte> message, const routing::pattern& its_pattern,
                        entry known) {
  const address where = address_of(from_command(message));
  place& in = at(where);
  if (!in) in = std::make_unique<set>();
  way& to = in->kinds[in->used < ways ? in->used++ : next_victim_++ % ways];
  to.outline = where.outline;
  if (!to.kept) to.kept = std::make_unique<slot>();
  *to.kept = {std::move(known), its_pattern};
}

}  // namespace scattergate::proxy
