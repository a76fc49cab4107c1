#include "proxy/verdict_memo.hpp"

#include "wire/endian.hpp"
#include "wire/limits.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::proxy {
namespace {

// A message's first field is its command and its collection; flags, a kind of section and a
// length stand before it. No command on a collection is shorter.
constexpr std::size_t first_field = wire::limits::header_bytes + 9;
constexpr std::size_t hashed_bytes = 2 * sizeof(std::uint64_t);

/// REQUIRES: all bytes of the first field that are hashed.
std::size_t hash_of(std::span<const std::byte> message) noexcept {
  const auto* const field = message.data() + first_field;
  const auto begin = wire::load_little<std::uint64_t>(field);
  const auto end = wire::load_little<std::uint64_t>(field + sizeof begin);
  return wire::seeded_hash(begin, end);
}

}  // namespace

const verdict_memo::entry* verdict_memo::find(
    std::span<const std::byte> message) const noexcept {
  if (message.size() < first_field + hashed_bytes) return nullptr;
  const set* const kinds = sets_[hash_of(message) % set_count].get();
  if (kinds == nullptr) return nullptr;
  for (std::size_t i = 0; i < kinds->used; ++i) {
    if (kinds->slots[i].like.matches(message)) return &kinds->slots[i].known;
  }
  return nullptr;
}

bool verdict_memo::accepts(std::span<const std::byte> message) noexcept {
  if (message.size() < first_field + hashed_bytes) return false;
  const set* const kinds = sets_[hash_of(message) % set_count].get();
  constexpr std::uint32_t one_in = 16;
  return kinds == nullptr || kinds->used < ways || ++turned_away_ % one_in == 0;
}

void verdict_memo::keep(std::span<const std::byte> message, const routing::pattern& like,
                        const entry& known) {
  auto& kinds = sets_[hash_of(message) % set_count];
  if (!kinds) kinds = std::make_unique<set>();
  slot& to =
      kinds->used < ways ? kinds->slots[kinds->used++] : kinds->slots[next_victim_++ % ways];
  to = {like, known};
}

}  // namespace scattergate::proxy
