#include "report/baseline/baseline_comparison.hpp"

#include <unordered_set>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "digest/finding.hpp"
#include "digest/labels.hpp"
#include "wire/label_table.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::report {
namespace {

constexpr wire::label_table<baseline_state> state_labels{{
    {baseline_state::none, ""},
    {baseline_state::is_new, "new"},
    {baseline_state::accepted, "accepted"},
    {baseline_state::expired, "new"},
    {baseline_state::absent, "absent"},
}};

constexpr wire::label_table<fail_on> fail_on_labels{{
    {fail_on::never, "never"},
    {fail_on::new_findings, "new"},
    {fail_on::any, "any"},
}};

std::unordered_set<std::uint64_t> findings_in(const digest::table& seen) {
  std::unordered_set<std::uint64_t> hashes;
  for (const digest::row* one : seen.ranked()) {
    if (digest::is_finding(*one)) hashes.insert(one->shape_hash);
  }
  return hashes;
}

config::accepted_shape accepted_now(const digest::row& one, text::day today) {
  config::accepted_shape made;
  made.shape_hash = one.shape_hash;
  made.name_space = one.name_space();
  made.command = one.command;
  made.reason = label(one.what.why);
  made.shape = one.what.shape_json;
  made.since = today;
  return made;
}

}  // namespace

std::string_view label(baseline_state state) noexcept {
  return state_labels[state];
}

std::optional<fail_on> fail_on_named(std::string_view name) noexcept {
  return fail_on_labels.find(name);
}

baseline_comparison::baseline_comparison(const config::baseline& accepted,
                                         const digest::table& seen, text::day today,
                                         bool is_given)
    : today_(today), is_given_(is_given) {
  for (const auto& one : accepted.accepted) by_hash_.emplace(one.shape_hash, &one);
  for (const digest::row* one : seen.ranked()) {
    ++counts_[static_cast<std::size_t>(state_of(*one))];
  }
  const auto found = findings_in(seen);
  for (const auto& one : accepted.accepted) {
    if (!found.contains(one.shape_hash)) absent_.push_back(&one);
  }
  counts_[static_cast<std::size_t>(baseline_state::absent)] = absent_.size();
}

const config::accepted_shape* baseline_comparison::entry_of(const digest::row& one) const {
  const auto found = by_hash_.find(one.shape_hash);
  return found == by_hash_.end() ? nullptr : found->second;
}

baseline_state baseline_comparison::state_of(const digest::row& one) const {
  if (!digest::is_finding(one)) return baseline_state::none;
  if (digest::is_accepted(one)) return baseline_state::accepted;
  const auto* const entry = entry_of(one);
  if (entry == nullptr) return baseline_state::is_new;
  return text::has_passed(entry->until, today_) ? baseline_state::expired
                                                : baseline_state::accepted;
}

bool baseline_comparison::fails(fail_on when) const noexcept {
  switch (when) {
    case fail_on::never:
      return false;
    case fail_on::new_findings:
      return unaccepted() != 0;
    case fail_on::any:
      break;
  }
  return unaccepted() + count(baseline_state::accepted) != 0;
}

digest::row row_of(const config::accepted_shape& absent) {
  digest::row made;
  const auto ns = wire::namespace_view::of(absent.name_space)
                      .value_or(wire::namespace_view{absent.name_space, {}});
  made.database = ns.database;
  made.collection = ns.collection;
  made.command = absent.command;
  made.shape_hash = absent.shape_hash;
  made.what.routing = routing::routing_class::scatter_gather;
  made.what.why = digest::cause_with_label(absent.reason).value_or(routing::cause{});
  boost::system::error_code wrong;
  const auto shape = boost::json::parse(absent.shape, wrong);
  if (!wrong && shape.is_object()) made.what.shape_json = boost::json::serialize(shape);
  return made;
}

config::baseline renewed(const config::baseline& before, const digest::table& seen,
                         text::day today) {
  const baseline_comparison compared{before, seen, today};
  config::baseline made;
  std::unordered_set<std::uint64_t> taken;
  for (const digest::row* one : seen.ranked()) {
    if (made.accepted.size() == config::max_accepted) break;
    const auto* const entry = compared.entry_of(*one);
    const bool is_kept = entry != nullptr || !digest::is_accepted(*one);
    if (!digest::is_finding(*one) || !is_kept || !taken.insert(one->shape_hash).second) {
      continue;
    }
    config::accepted_shape now = accepted_now(*one, today);
    if (entry != nullptr) {
      now.why = entry->why;
      now.by = entry->by;
      now.until = entry->until;
      now.since = entry->since;
    }
    made.accepted.push_back(std::move(now));
  }
  return made;
}

}  // namespace scattergate::report
