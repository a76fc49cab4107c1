#include "telemetry/audit/finding_ledger.hpp"

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
  open(shared_finding(finding_scope::other));
  open(shared_finding(finding_scope::failed));
}

finding_ledger::account& finding_ledger::add(const finding_delta& delta) {
  account& to = account_of(delta);
  merge(to.outstanding, delta);
  if (!to.outstanding.details->is_shared()) to.outstanding.fanout = delta.fanout;
  to.was_added_to = true;
  return to;
}

finding_ledger::account& finding_ledger::account_of(const finding_delta& delta) {
  if (delta.details->scope == finding_scope::other) return *accounts_[other];
  if (delta.details->scope == finding_scope::failed) return *accounts_[failed];
  if (const auto known = index_.find(key_of(*delta.details))) {
    auto& details = accounts_[*known]->outstanding.details;
    index_.replace(*details, *delta.details);
    details = delta.details;
    return *accounts_[*known];
  }
  if (accounts_.size() >= max_shapes_ + shared) return *accounts_[other];
  index_.insert(*delta.details, static_cast<std::uint32_t>(accounts_.size()));
  return open(delta.details);
}

finding_ledger::account& finding_ledger::open(std::shared_ptr<const finding_details> details) {
  account& opened = *accounts_.emplace_back(std::make_unique<account>());
  opened.outstanding.details = std::move(details);
  return opened;
}

std::vector<std::shared_ptr<const finding_details>> finding_ledger::give_back_quiet(
    clock::time_point now, std::chrono::nanoseconds quiet) {
  std::vector<std::shared_ptr<const finding_details>> given_back;
  for (std::size_t i = accounts_.size(); i-- > shared;) {
    account& each = *accounts_[i];
    if (std::exchange(each.was_added_to, false)) each.quiet_since = now;
    const bool owes = each.outstanding.count != 0 || !each.has_line;
    if (!owes && now - each.quiet_since >= quiet) given_back.push_back(close(i));
  }
  return given_back;
}

/// The last account takes the place of the one that is closed.
std::shared_ptr<const finding_details> finding_ledger::close(std::size_t position) {
  auto told = std::move(accounts_[position]->outstanding.details);
  index_.erase(*told);
  if (position + 1 != accounts_.size()) {
    accounts_[position] = std::move(accounts_.back());
    index_.move(*accounts_[position]->outstanding.details,
                static_cast<std::uint32_t>(position));
  }
  accounts_.pop_back();
  return told;
}

}  // namespace scattergate::telemetry
