#include "sim/query/sort.hpp"

#include <algorithm>

#include "sim/values/compare.hpp"
#include "sim/values/error.hpp"
#include "sim/values/path.hpp"

namespace scattergate::sim {
namespace {

/// Keeps in `best` the one of both that determines the order.
void keep(std::optional<value>& best, const value& candidate, bool ascending) {
  if (best) {
    const auto order = compare(candidate, *best);
    if (ascending ? order >= 0 : order <= 0) return;
  }
  best = candidate;
}

}  // namespace

sort_order::sort_order(const document& specification) {
  for (const field& each : specification) {
    if (!each.content.is_number()) {
      throw command_failure(errc::bad_value, "Illegal sort direction for " + each.name);
    }
    const std::int64_t direction = each.content.as_int64();
    if (direction != 1 && direction != -1) {
      throw command_failure(errc::bad_value, "$sort key ordering must be 1 or -1");
    }
    parts_.push_back({split_path(each.name), direction == 1});
  }
}

array sort_order::key_of(const document& candidate) const {
  array key;
  for (const part& each : parts_) {
    std::optional<value> best;
    auto visit = [&best, &each](const value* leaf) {
      const auto* members = leaf == nullptr ? nullptr : leaf->as<array>();
      if (members == nullptr) {
        keep(best, leaf == nullptr ? value{} : *leaf, each.ascending);
      } else if (members->empty()) {
        keep(best, undefined{}, each.ascending);
      } else {
        for (const value& member : *members) keep(best, member, each.ascending);
      }
      return false;
    };
    visit_path(candidate, each.path, visit);
    key.push_back(best.value_or(null{}));
  }
  return key;
}

bool sort_order::is_before(const array& left, const array& right) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto order = compare(left[i], right[i]);
    if (order != 0) return parts_[i].ascending ? order < 0 : order > 0;
  }
  return false;
}

void sort_order::apply(std::vector<document_ptr>& documents) const {
  std::vector<std::pair<array, document_ptr>> keyed;
  keyed.reserve(documents.size());
  for (document_ptr& each : documents) {
    array key = key_of(*each);
    keyed.emplace_back(std::move(key), std::move(each));
  }
  std::stable_sort(keyed.begin(), keyed.end(), [this](const auto& left, const auto& right) {
    return is_before(left.first, right.first);
  });
  for (std::size_t i = 0; i < keyed.size(); ++i) documents[i] = std::move(keyed[i].second);
}

}  // namespace scattergate::sim
