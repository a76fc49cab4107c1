#include "digest/sketch/sketch_table.hpp"

#include <algorithm>

namespace scattergate::digest {

collection_sketch* sketch_table::take(wire::namespace_view of) {
  const std::string name = of.full_name();
  if (const auto known = places_.find(name); known != places_.end()) {
    return collections_[known->second].get();
  }
  if (collections_.size() == most_collections || !has_room_(collection_sketch::own_bytes)) {
    return nullptr;
  }
  collections_.push_back(std::make_unique<collection_sketch>(std::string{of.database},
                                                             std::string{of.collection}));
  places_.emplace(name, collections_.size() - 1);
  return collections_.back().get();
}

text::result<void> sketch_table::add(const sketch_table& other) {
  if (salt_id_.empty()) salt_id_ = other.salt_id_;
  if (salt_id_ != other.salt_id_) {
    return text::failure("sketches under another salt (" + other.salt_id_ +
                         ") than those before (" + salt_id_ + ") can't be added to them");
  }
  for (const auto& one : other.collections_) {
    collection_sketch* const to = take(one->ns());
    to == nullptr ? count_left_out(one->requests()) : to->add(*one, has_room_, has_room_);
  }
  count_left_out(other.left_out_);
  return {};
}

const collection_sketch* sketch_table::find(wire::namespace_view of) const noexcept {
  const auto known = places_.find(of.full_name());
  return known == places_.end() ? nullptr : collections_[known->second].get();
}

std::vector<const collection_sketch*> sketch_table::ranked() const {
  std::vector<const collection_sketch*> all;
  for (const auto& one : collections_) all.push_back(one.get());
  std::ranges::stable_sort(all, std::ranges::greater{}, &collection_sketch::requests);
  return all;
}

}  // namespace scattergate::digest
