#include "digest/callers.hpp"

#include <algorithm>

namespace scattergate::digest {

bool caller::is_same(const caller& other) const noexcept {
  return app_name == other.app_name && user == other.user && remote == other.remote &&
         comment == other.comment && driver == other.driver;
}

void callers::add(const caller& one) {
  const auto known = std::find_if(apart_.begin(), apart_.end(),
                                  [&](const caller& each) { return each.is_same(one); });
  if (known != apart_.end()) {
    known->count += one.count;
  } else if (apart_.size() < most) {
    apart_.push_back(one);
  } else {
    others_ += one.count;
  }
}

void callers::add(const callers& others) {
  for (const caller& one : others.apart_) add(one);
  others_ += others.others_;
}

std::vector<caller> callers::ranked() const {
  std::vector<caller> sorted = apart_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const caller& a, const caller& b) { return a.count > b.count; });
  return sorted;
}

}  // namespace scattergate::digest
