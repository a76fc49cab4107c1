#include "routing/pipeline/path_history.hpp"

#include <algorithm>

namespace scattergate::routing {
namespace {

/// The path that consists of the effect's non-empty parts, joined by dots; std::nullopt if the
/// scratch memory is exhausted.
std::optional<std::string_view> joined(const path_effect& moved, scratch& memory) noexcept {
  if (moved.member.empty() && moved.rest.empty()) return moved.origin;
  const auto text = memory.allocate<char>(moved.origin.size() + moved.member.size() +
                                          moved.inner.size() + moved.rest.size() + 3);
  if (text.empty()) return std::nullopt;
  auto end = std::ranges::copy(moved.origin, text.begin()).out;
  for (const std::string_view piece : {moved.member, moved.inner, moved.rest}) {
    if (piece.empty()) continue;
    *end++ = '.';
    end = std::ranges::copy(piece, end).out;
  }
  return std::string_view{text.begin(), end};
}

/// Whether the value at the end of the path came from below another field.
bool is_reshaped(const path_effect& moved) noexcept {
  const bool is_below = moved.origin.find('.') != std::string_view::npos;
  return moved.rest.empty() && (is_below || !moved.member.empty());
}

}  // namespace

bool path_history::pass(const wire::element& stage, scratch& memory) noexcept {
  if (count_ == stages_remembered) return false;
  past_stage next;
  next.before = last_;
  next.renames_nested = renames_nested_;
  if (!next.read(stage, memory.work())) return false;
  const auto place = memory.allocate<past_stage>(1);
  if (place.empty()) return false;
  place[0] = next;
  last_ = place.data();
  ++count_;
  is_prepared_ = false;
  return true;
}

void path_history::prepare(scratch& memory) noexcept {
  if (is_prepared_) return;
  is_prepared_ = true;
  gates_ = 0;
  for (past_stage* each = last_; each != nullptr; each = each->before) {
    each->prepare(memory);
    if (each->is_gate() && ++gates_ > gates_remembered) each->close();
  }
}

past_stage* path_history::gate_before(const past_stage* gate) const noexcept {
  past_stage* each = gate == nullptr ? last_ : gate->before;
  while (each != nullptr && !each->is_gate()) each = each->before;
  return each;
}

bool path_history::shares_field(std::string_view path, scratch& memory,
                                const past_stage* until) const noexcept {
  for (const past_stage* each = last_; each != until; each = each->before) {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos && !is_nested()) return false;
    if (each->names_below(path.substr(0, dot), memory.work())) return true;
    const path_effect said = each->effect_on(path, memory.work());
    if (said.is == path_effect::kind::moved) return true;  // rare, so assume it does
  }
  return false;
}

std::optional<std::string_view> path_history::origin_of(std::string_view path, scratch& memory,
                                                        const past_stage* until,
                                                        bool* reshaped) const noexcept {
  if (is_nested()) {
    if (relate(nested_below_, path) != path_relation::above) return std::nullopt;
    path.remove_prefix(nested_below_.size() + 1);
  }
  for (const past_stage* each = last_; each != until; each = each->before) {
    const path_effect said = each->effect_on(path, memory.work());
    if (said.is == path_effect::kind::lost) return std::nullopt;
    if (said.is != path_effect::kind::moved) continue;
    if (reshaped != nullptr) *reshaped |= is_reshaped(said);
    const auto moved = joined(said, memory);
    if (!moved) return std::nullopt;
    path = *moved;
  }
  return path;
}

}  // namespace scattergate::routing
