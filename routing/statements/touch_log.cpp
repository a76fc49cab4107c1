#include "routing/statements/touch_log.hpp"

#include <algorithm>
#include <memory>
#include <span>

namespace scattergate::routing {
namespace {

constexpr std::size_t compare_units = 4;

touch touch_of(wire::namespace_view on, const statement& made,
               std::uint32_t position) noexcept {
  const target& to = made.goes_to;
  return {.database = on.database,
          .collection = on.collection,
          .judged = made.judged,
          .missing = to.missing.bits(),
          .statements = 1,
          .first_statement = position,
          .routing = to.routing,
          .bounds = to.bounds,
          .why = to.why,
          .lint = made.lint,
          .change = made.change,
          .refused = made.refused,
          .is_unrouted = made.is_unrouted,
          .hints = to.hints};
}

bool is_same_judgement(const touch& a, const touch& b) noexcept {
  return a.routing == b.routing && a.missing == b.missing && a.why == b.why &&
         a.bounds == b.bounds && a.lint == b.lint && a.change == b.change &&
         a.refused == b.refused && a.is_unrouted == b.is_unrouted && a.judged == b.judged;
}

/// Compares two texts. Texts from one message are often the same bytes at the same address.
bool is_same_text(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && (a.data() == b.data() || a == b);
}

bool is_same(const touch& a, const touch& b) noexcept {
  return is_same_judgement(a, b) && is_same_text(a.collection, b.collection) &&
         is_same_text(a.database, b.database);
}

void doubt(verdict& made) noexcept {
  made.may_touch_more = true;
  if (made.routing >= routing_class::unknown) return;
  made.routing = routing_class::unknown;
  made.why = reason::too_deep;
}

}  // namespace

touch* touch_log::find(const touch& one) noexcept {
  if (size_ == 0) return nullptr;
  if (is_same(slots()[last_], one)) return slots() + last_;
  work_.charge(size_ * compare_units);
  const auto end = slots() + size_;
  const auto found =
      std::find_if(slots(), end, [&](const touch& known) { return is_same(known, one); });
  return found == end ? nullptr : found;
}

void touch_log::add(wire::namespace_view on, const statement& made,
                    std::uint32_t position) noexcept {
  const touch one = touch_of(on, made, position);
  touch* known = find(one);
  if (known != nullptr) {
    ++known->statements;
  } else if (size_ == max_touches) {
    return note_missing_entry();
  } else {
    known = std::construct_at(slots() + size_++, one);
  }
  last_ = static_cast<std::size_t>(known - slots());
}

void touch_log::reject(refusal error) noexcept {
  for (touch& each : std::span{slots(), size_}) {
    if (each.refused == refusal::none) each.refused = error;
    each.is_unrouted = true;
  }
}

void touch_log::publish(verdict& to, scratch& memory) const noexcept {
  if (has_missing_entries_) doubt(to);
  const bool is_own = size_ == 1 && !slots()->is_unrouted;
  if (size_ == 0 || is_own) return;
  const auto kept = memory.allocate<touch>(size_);
  if (kept.empty()) return doubt(to);
  std::uninitialized_copy_n(slots(), size_, kept.begin());
  to.touches = kept;
}

}  // namespace scattergate::routing
