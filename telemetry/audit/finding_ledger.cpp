#include "telemetry/audit/finding_ledger.hpp"

#include <utility>

namespace scattergate::telemetry {

finding_ledger::finding_ledger(std::size_t max_shapes) : max_shapes_(max_shapes) {
  open(shared_details(shape_scope::other));
  open(shared_details(shape_scope::failed));
}

finding_ledger::account& finding_ledger::add(const shape_delta& delta) {
  account& to = account_of(delta);
  to.outstanding.add(delta);
  if (!to.outstanding.details->is_shared()) to.outstanding.fanout = delta.fanout;
  to.was_added_to = true;
  return to;
}

finding_ledger::account& finding_ledger::account_of(const shape_delta& delta) {
  if (delta.details->scope == shape_scope::other) return *accounts_[other];
  if (delta.details->scope == shape_scope::failed) return *accounts_[failed];
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

finding_ledger::account& finding_ledger::open(std::shared_ptr<const shape_details> details) {
  account& opened = *accounts_.emplace_back(std::make_unique<account>());
  opened.outstanding.details = std::move(details);
  return opened;
}

std::vector<std::shared_ptr<const shape_details>> finding_ledger::give_back_quiet(
    clock::time_point now, std::chrono::nanoseconds quiet) {
  std::vector<std::shared_ptr<const shape_details>> given_back;
  for (std::size_t i = accounts_.size(); i-- > shared;) {
    account& each = *accounts_[i];
    if (std::exchange(each.was_added_to, false)) each.quiet_since = now;
    const bool owes = each.outstanding.count != 0 || !each.has_line;
    if (!owes && now - each.quiet_since >= quiet) given_back.push_back(close(i));
  }
  return given_back;
}

/// The last account takes the place of the one that is closed.
std::shared_ptr<const shape_details> finding_ledger::close(std::size_t position) {
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
