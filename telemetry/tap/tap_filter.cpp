#include "telemetry/tap/tap_filter.hpp"

#include <algorithm>

#include "digest/labels.hpp"
#include "text/glob.hpp"
#include "text/percent.hpp"
#include "wire/limits.hpp"

namespace scattergate::telemetry {
namespace {

using routing::routing_class;

constexpr const char* unknown_parameter =
    "known parameters: namespace=GLOB, routing=CLASS, findings=1; each at most once";
constexpr const char* no_glob = "namespace: the glob is longer than any name";
constexpr const char* no_class =
    "routing: expected unsharded, single_shard, multi_shard, scatter_gather, not_routed or "
    "unknown";
constexpr const char* no_switch = "findings: expected 1 or 0";

/// Parses one parameter into `to`.
text::result<void> read(std::string_view name, const std::string& value, tap_filter& to) {
  if (name == "namespace" && to.name_space.empty()) {
    to.name_space = value;
    if (value.size() > wire::limits::max_namespace_bytes) return text::failure(no_glob);
  } else if (name == "routing" && !to.routing) {
    to.routing = digest::enumerator_with_label<routing_class>(std::string_view{value});
    if (!to.routing) return text::failure(no_class);
  } else if (name == "findings" && !to.is_findings) {
    to.is_findings = value == "1";
    if (value != "1" && value != "0") return text::failure(no_switch);
  } else {
    return text::failure(unknown_parameter);
  }
  return {};
}

}  // namespace

tap_interest tap_filter::interest() const noexcept {
  tap_interest all;
  for (std::size_t i = 0; i < routing::routing_class_count; ++i) {
    const auto each = static_cast<routing_class>(i);
    if (routing && *routing != each) continue;
    all = all | tap_interest::in(each, true);
    if (!is_findings) all = all | tap_interest::in(each, false);
  }
  return all;
}

bool tap_filter::accepts(const tapped_command& one) const {
  if (is_findings && !one.action) return false;
  if (routing && *routing != one.routing) return false;
  return name_space.empty() || text::glob_matches(name_space, one.name_space());
}

text::result<tap_filter> tap_filter_of(std::string_view target) {
  tap_filter made;
  const std::size_t at = target.find('?');
  std::string_view left = at == target.npos ? std::string_view{} : target.substr(at + 1);
  while (!left.empty()) {
    const std::string_view one = left.substr(0, left.find('&'));
    left.remove_prefix(std::min(one.size() + 1, left.size()));
    const std::size_t equals = one.find('=');
    const std::string_view value =
        equals == one.npos ? std::string_view{} : one.substr(equals + 1);
    const auto taken = read(one.substr(0, equals), text::percent_decoded(value), made);
    if (!taken) return taken.error();
  }
  return made;
}

}  // namespace scattergate::telemetry
