#include "telemetry/audit/caller_slots.hpp"

#include <string_view>

#include "telemetry/utf8.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::telemetry {
namespace {

caller_view cut(const caller_view& caller) noexcept {
  return {cut_utf8(caller.app_name, max_caller_text), cut_utf8(caller.driver, max_caller_text),
          cut_utf8(caller.user, max_caller_text), cut_utf8(caller.remote, max_caller_text),
          cut_utf8(caller.comment, max_caller_text)};
}

std::uint64_t hash_of(const caller_view& caller) noexcept {
  std::uint64_t hash = 0;
  for (const std::string_view text :
       {caller.app_name, caller.driver, caller.user, caller.remote, caller.comment}) {
    hash = wire::seeded_hash(text, hash);
  }
  return hash;
}

bool is_same(const caller_count& kept, const caller_view& caller) noexcept {
  return kept.remote == caller.remote && kept.app_name == caller.app_name &&
         kept.driver == caller.driver && kept.user == caller.user &&
         kept.comment == caller.comment;
}

}  // namespace

void caller_slots::count(const caller_view& caller) {
  if (slot* const its = find_or_take(cut(caller))) {
    ++its->caller.count;
  } else {
    ++others_;
  }
}

/// The slot of a caller, taken now if there is room; else null.
caller_slots::slot* caller_slots::find_or_take(const caller_view& caller) {
  const std::uint64_t hash = hash_of(caller);
  slot* idle = nullptr;
  for (slot& each : slots_) {
    if (each.hash == hash && is_same(each.caller, caller)) return &each;
    if (each.caller.count == 0) idle = &each;
  }
  if (slot* const added = add_slot()) idle = added;
  if (idle == nullptr) return nullptr;
  idle->hash = hash;
  idle->caller.app_name = caller.app_name;
  idle->caller.driver = caller.driver;
  idle->caller.user = caller.user;
  idle->caller.remote = caller.remote;
  idle->caller.comment = caller.comment;
  return idle;
}

/// Null where no further one may be had.
caller_slots::slot* caller_slots::add_slot() {
  if (slots_.size() >= max_callers) return nullptr;
  slots_.reserve(slots_.size() + 1);
  if (!memory_.take(slot_bytes, memory_.limit() / 4)) return nullptr;
  return &slots_.emplace_back();
}

void caller_slots::take(finding_delta& to) {
  for (slot& each : slots_) {
    if (each.caller.count == 0) continue;
    to.callers.push_back(each.caller);
    each.caller.count = 0;
  }
  to.other_callers += others_;
  others_ = 0;
}

}  // namespace scattergate::telemetry
