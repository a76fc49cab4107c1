#include "sim/targeting/chunks.hpp"

#include <algorithm>

#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"
#include "sim/values/path.hpp"

namespace scattergate::sim {

shard_key::shard_key(const document& pattern) : pattern_(pattern) {
  if (pattern.empty()) refuse("Shard key pattern must not be empty");
  for (const field& each : pattern) {
    const auto* text = each.content.as<std::string>();
    const bool hashed = text != nullptr && *text == "hashed";
    if (!hashed && !(each.content.is_number() && each.content.as_double() == 1))
      refuse("Shard key fields must be 1 or \"hashed\": " + each.name);
    if (hashed && has_hashed_part()) refuse("A shard key can hold one hashed field only");
    parts_.push_back({each.name, split_path(each.name), hashed});
  }
}

bool shard_key::has_hashed_part() const noexcept {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const part& each) { return each.is_hashed; });
}

array shard_key::position_of(const document& content) const {
  array position = values_of(content);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].is_hashed) position[i] = key_hash(position[i]);
  }
  return position;
}

array shard_key::values_of(const document& content) const {
  array values;
  for (const part& each : parts_) {
    if (has_array_on_path(content, each.path)) {
      refuse(errc::shard_key_not_found,
             "Shard key cannot contain array values or array descendants.");
    }
    const value* found = plain_path(content, each.path);
    values.push_back(found == nullptr ? value{} : *found);
  }
  return values;
}

array shard_key::position_from_bound(const document& bound) const {
  array position;
  for (const part& each : parts_) {
    const value* found = bound.find(each.name);
    if (found == nullptr) refuse("The bound lacks the shard key field " + each.name);
    position.push_back(*found);
  }
  if (bound.size() != parts_.size()) refuse("The bound holds more than the shard key");
  return position;
}

document shard_key::bound_from_position(const array& position) const {
  document bound;
  for (std::size_t i = 0; i < parts_.size(); ++i) bound.append(parts_[i].name, position[i]);
  return bound;
}

array shard_key::lowest() const {
  return array(parts_.size(), value{min_key{}});
}

array shard_key::highest() const {
  return array(parts_.size(), value{max_key{}});
}

bool shard_key::is_prefix_of(const document& index_key) const {
  if (index_key.size() < pattern_.size()) return false;
  return std::equal(pattern_.begin(), pattern_.end(), index_key.begin(),
                    [](const field& mine, const field& other) {
                      return mine.name == other.name && is_equal(mine.content, other.content);
                    });
}

chunk_map::chunk_map(const shard_key& key, shard_index owner) {
  chunk whole;
  whole.min = key.lowest();
  whole.max = key.highest();
  whole.owner = owner;
  whole.id = new_object_id();
  chunks_.push_back(std::move(whole));
}

std::size_t chunk_map::index_of(const array& position) const noexcept {
  const auto after = std::upper_bound(
      chunks_.begin(), chunks_.end(), position,
      [](const array& key, const chunk& each) { return compare(key, each.min) < 0; });
  return static_cast<std::size_t>(after - chunks_.begin()) - 1;
}

const chunk& chunk_map::at(const array& position) const noexcept {
  return chunks_[index_of(position)];
}

std::set<shard_index> chunk_map::owners() const {
  std::set<shard_index> out;
  for (const chunk& each : chunks_) out.insert(each.owner);
  return out;
}

bool chunk_map::split(const array& position) {
  const std::size_t index = index_of(position);
  if (compare(chunks_[index].min, position) == 0) return false;
  chunk upper = chunks_[index];
  upper.min = position;
  upper.id = new_object_id();
  upper.major = chunks_[index].major = highest_major_;
  chunks_[index].minor = ++highest_minor_;
  upper.minor = ++highest_minor_;
  chunks_[index].max = position;
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(upper));
  return true;
}

void chunk_map::move(const array& position, shard_index to) {
  chunk& moved = chunks_[index_of(position)];
  if (moved.owner == to) return;
  moved.owner = to;
  moved.major = ++highest_major_;
  moved.minor = highest_minor_ = 0;
}

std::optional<shard_index> chunk_map::owner_of(const array& position, bool with_end) const {
  if (!with_end && compare(position, chunks_.back().max) >= 0) return std::nullopt;
  return at(position).owner;
}

void chunk_map::add_owners(const array& from, const array& to, bool with_end,
                           std::set<shard_index>& out) const {
  if (!with_end && compare(from, chunks_.back().max) >= 0) return;
  for (std::size_t i = index_of(from); i < chunks_.size(); ++i) {
    if (compare(chunks_[i].min, to) > 0) return;
    out.insert(chunks_[i].owner);
  }
}

}  // namespace scattergate::sim
