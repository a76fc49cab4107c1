#include "telemetry/finding_ledger.hpp"

#include <algorithm>
#include <utility>

namespace scattergate::telemetry {
namespace {

bool is_same(const caller_count& a, const caller_count& b) noexcept {
  return a.remote == b.remote && a.app_name == b.app_name && a.driver == b.driver &&
         a.user == b.user && a.comment == b.comment;
}

void merge_caller(finding_delta& to, const caller_count& caller) {
  const auto known =
      std::find_if(to.callers.begin(), to.callers.end(),
                   [&](const caller_count& each) { return is_same(each, caller); });
  if (known != to.callers.end()) {
    known->count += caller.count;
  } else if (to.callers.size() < max_callers) {
    to.callers.push_back(caller);
  } else {
    to.other_callers += caller.count;
  }
}

}  // namespace

void merge(finding_delta& to, const finding_delta& from) {
  to.count += from.count;
  to.longest = std::max(to.longest, from.longest);
  to.total += from.total;
  for (const caller_count& caller : from.callers) merge_caller(to, caller);
  to.other_callers += from.other_callers;
}

finding_ledger::finding_ledger(std::size_t max_shapes) : max_shapes_(max_shapes) {
  accounts_.push_back(std::make_unique<account>());
  accounts_.front()->outstanding.details = other_finding();
}

finding_ledger::account& finding_ledger::add(finding_delta delta) {
  account& to = account_of(delta);
  merge(to.outstanding, delta);
  return to;
}

finding_ledger::account& finding_ledger::account_of(const finding_delta& delta) {
  if (delta.details->is_other) return *accounts_.front();
  if (const auto known = index_.find(key_of(*delta.details))) {
    auto& details = accounts_[*known]->outstanding.details;
    index_.replace(*details, *delta.details);
    details = delta.details;
    return *accounts_[*known];
  }
  if (accounts_.size() > max_shapes_) return *accounts_.front();
  const auto position = static_cast<std::uint32_t>(accounts_.size());
  accounts_.push_back(std::make_unique<account>());
  accounts_.back()->outstanding.details = delta.details;
  index_.insert(*delta.details, position);
  return *accounts_.back();
}

std::vector<finding_delta> compacted(std::vector<finding_delta> deltas,
                                     std::size_t max_shapes) {
  finding_ledger ledger{max_shapes};
  for (finding_delta& delta : deltas) ledger.add(std::move(delta));
  std::vector<finding_delta> merged;
  for (const auto& account : ledger.accounts()) {
    if (account->outstanding.count != 0) merged.push_back(std::move(account->outstanding));
  }
  return merged;
}

}  // namespace scattergate::telemetry
