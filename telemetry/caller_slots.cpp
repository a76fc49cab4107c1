#include "telemetry/caller_slots.hpp"

#include <functional>
#include <string_view>

#include "telemetry/utf8.hpp"

namespace scattergate::telemetry {
namespace {

caller_view cut(const caller_view& caller) noexcept {
  return {cut_utf8(caller.app_name, max_caller_text), cut_utf8(caller.driver, max_caller_text),
          cut_utf8(caller.user, max_caller_text), cut_utf8(caller.remote, max_caller_text),
          cut_utf8(caller.comment, max_caller_text)};
}

std::size_t hash_of(const caller_view& caller) noexcept {
  constexpr std::size_t golden = 0x9E3779B97F4A7C15;
  std::size_t hash = 0;
  for (const std::string_view text :
       {caller.app_name, caller.driver, caller.user, caller.remote, caller.comment}) {
    hash = (hash ^ std::hash<std::string_view>{}(text)) * golden;
  }
  return hash;
}

bool is_same(const caller_count& kept, const caller_view& caller) noexcept {
  return kept.remote == caller.remote && kept.app_name == caller.app_name &&
         kept.driver == caller.driver && kept.user == caller.user &&
         kept.comment == caller.comment;
}

}  // namespace

std::uint32_t caller_slots::begin(const caller_view& whole) {
  const caller_view caller = cut(whole);
  const std::size_t hash = hash_of(caller);
  std::size_t idle = others;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].hash == hash && is_same(slots_[i].caller, caller)) {
      ++slots_[i].under_way;
      return static_cast<std::uint32_t>(i);
    }
    if (slots_[i].is_idle()) idle = i;
  }
  if (slots_.size() < max_callers) {
    idle = slots_.size();
    slots_.emplace_back();
  }
  if (idle == others) return others;
  slot& taken = slots_[idle];
  taken.hash = hash;
  taken.caller.app_name = caller.app_name;
  taken.caller.driver = caller.driver;
  taken.caller.user = caller.user;
  taken.caller.remote = caller.remote;
  taken.caller.comment = caller.comment;
  taken.under_way = 1;
  return static_cast<std::uint32_t>(idle);
}

void caller_slots::complete(std::uint32_t at) noexcept {
  if (at == others) {
    ++others_;
    return;
  }
  --slots_[at].under_way;
  ++slots_[at].caller.count;
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
