#include "telemetry/sketches/sketch_book.hpp"

#include <algorithm>
#include <span>

#include "net/failing_memory.hpp"

namespace scattergate::telemetry {
namespace {

/// Sketches leave this fraction of the budget free for traffic: 1/share_left.
constexpr std::size_t share_left = 2;

}  // namespace

sketch_book::~sketch_book() {
  memory_.release(set_.size() * digest::collection_sketches::max_bytes);
}

digest::collection_sketches* sketch_book::find_or_add(std::string_view database,
                                                      std::string_view collection) {
  if (auto* const found = set_.find(database, collection)) return found;
  constexpr std::size_t bytes = digest::collection_sketches::max_bytes;
  if (set_.size() == digest::sketch_set::max_collections ||
      !memory_.reserve(bytes, memory_.limit() / share_left)) {
    return nullptr;
  }
  digest::collection_sketches* made = nullptr;
  const bool is_made = net::done_unless_memory_fails([&] {
    by_number_.reserve(digest::sketch_set::max_collections);
    made = set_.find_or_add(database, collection);
  });
  if (!is_made) memory_.release(bytes);
  if (made != nullptr) by_number_.push_back(made);
  return made;
}

std::optional<std::uint32_t> sketch_book::number_of(std::string_view database,
                                                    std::string_view collection) {
  const std::lock_guard lock{mutex_};
  const auto* const found = find_or_add(database, collection);
  if (found == nullptr) return std::nullopt;
  const auto at = std::ranges::find(by_number_, found);
  return static_cast<std::uint32_t>(at - by_number_.begin());
}

std::optional<digest::sketched_field> sketch_book::admit(std::uint32_t collection,
                                                         std::string_view path) {
  const std::unique_lock lock{mutex_, std::try_to_lock};
  if (!lock) return std::nullopt;
  const auto admitted = by_number_[collection]->admit(path);
  version_.fetch_add(1, std::memory_order_relaxed);
  return admitted;
}

sketch_book::known_fields sketch_book::fields_of(std::uint32_t collection) const {
  const std::lock_guard lock{mutex_};
  return by_number_[collection]->known_fields();
}

void sketch_book::add(const sketch_batch& batch, wall_time now) noexcept {
  const auto minute = std::chrono::floor<std::chrono::minutes>(now).time_since_epoch().count();
  std::span<const digest::sketched_value> values{batch.values};
  const std::lock_guard lock{mutex_};
  for (digest::collection_sketches* each : by_number_) each->advance(minute);
  for (const sketch_batch::statement& each : batch.statements) {
    (void)net::done_unless_memory_fails([&] {
      by_number_[each.collection]->add(
          {values.first(each.values), each.weight, each.is_insert});
    });
    values = values.subspan(each.values);
  }
}

bool sketch_book::add(const digest::sketch_set& other) {
  if (other.salt_id() != salt_.id()) return false;
  const std::lock_guard lock{mutex_};
  for (const digest::collection_sketches* each : other.all()) {
    auto* const to = find_or_add(each->database(), each->collection());
    if (to != nullptr) to->add(*each);
  }
  version_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void sketch_book::read(const std::function<void(const digest::sketch_set&)>& at) const {
  const std::lock_guard lock{mutex_};
  at(set_);
}

}  // namespace scattergate::telemetry
