#include "sim/targeting/shard_key.hpp"

#include <algorithm>

#include "sim/values/compare.hpp"
#include "sim/values/error.hpp"
#include "sim/values/key_hash.hpp"
#include "sim/values/path.hpp"

namespace scattergate::sim {

shard_key::shard_key(const document& pattern) : pattern_(pattern) {
  if (pattern.empty())
    throw command_failure(errc::bad_value, "Shard key pattern must not be empty");
  for (const field& each : pattern) {
    const auto* text = each.content.as<std::string>();
    const bool hashed = text != nullptr && *text == "hashed";
    if (!hashed && !(each.content.is_number() && each.content.as_double() == 1)) {
      throw command_failure(errc::bad_value,
                            "Shard key fields must be 1 or \"hashed\": " + each.name);
    }
    if (hashed && has_hashed_part()) {
      throw command_failure(errc::bad_value, "A shard key can hold one hashed field only");
    }
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
      throw command_failure(errc::shard_key_not_found,
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
    if (found == nullptr) {
      throw command_failure(errc::bad_value,
                            "The bound lacks the shard key field " + each.name);
    }
    position.push_back(*found);
  }
  if (bound.size() != parts_.size()) {
    throw command_failure(errc::bad_value, "The bound holds more than the shard key");
  }
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

}  // namespace scattergate::sim
