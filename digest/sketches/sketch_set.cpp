#include "digest/sketches/sketch_set.hpp"

namespace scattergate::digest {

collection_sketches* sketch_set::find(std::string_view database,
                                      std::string_view collection) noexcept {
  const auto found = by_name_.find({std::string{database}, std::string{collection}});
  return found == by_name_.end() ? nullptr : found->second.get();
}

const collection_sketches* sketch_set::find(std::string_view database,
                                            std::string_view collection) const noexcept {
  const auto found = by_name_.find({std::string{database}, std::string{collection}});
  return found == by_name_.end() ? nullptr : found->second.get();
}

collection_sketches* sketch_set::find_or_add(std::string_view database,
                                             std::string_view collection) {
  if (auto* const found = find(database, collection)) return found;
  if (by_name_.size() == max_collections) return nullptr;
  name key{database, collection};
  auto made = std::make_unique<collection_sketches>(key.first, key.second);
  return by_name_.emplace(std::move(key), std::move(made)).first->second.get();
}

std::vector<const collection_sketches*> sketch_set::all() const {
  std::vector<const collection_sketches*> made;
  for (const auto& [key, each] : by_name_) made.push_back(each.get());
  return made;
}

void sketch_set::add(const sketch_set& other) {
  for (const auto& [key, each] : other.by_name_) {
    if (auto* const to = find_or_add(key.first, key.second)) to->add(*each);
  }
}

}  // namespace scattergate::digest
