#include "report/views/ci_findings.hpp"

#include <algorithm>
#include <tuple>

#include "digest/finding.hpp"
#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "report/views/execution_text.hpp"
#include "routing/shape/shape.hpp"
#include "text/utf8.hpp"

namespace scattergate::report {

using digest::with_commas;

std::vector<ci_finding> findings_of(const report_model& of) {
  std::vector<ci_finding> found;
  for (const digest::row* one : of.ranked()) {
    if (!digest::is_finding(*one)) continue;
    const auto state = of.against == nullptr ? baseline_state::is_new : of.state_of(*one);
    auto at = places_of(*one, of.source);
    const bool is_at_call_site = !at.empty();
    if (!is_at_call_site) {
      if (auto known = place_of_namespace(of, *one)) at.push_back(*std::move(known));
    }
    found.push_back({one, state, std::move(at), is_at_call_site});
  }
  return found;
}

std::vector<ci_site> sites_of(const ci_finding& of) {
  std::vector<ci_site> sites;
  for (const source_place& one : of.at) {
    const auto is_before = [&](const source_place& other) {
      return std::tie(other.path, other.line) < std::tie(one.path, one.line);
    };
    const auto before = std::ranges::count_if(of.at, [&](const source_place& other) {
      return other.path == one.path && is_before(other);
    });
    sites.push_back({&of, &one, static_cast<std::size_t>(before) + 1,
                     std::ranges::none_of(of.at, is_before)});
  }
  if (sites.empty()) sites.push_back({.of = &of});
  return sites;
}

std::string to_string(const source_place& at) {
  return at.path + ":" + std::to_string(at.line);
}

std::optional<source_place> place_of_namespace(const report_model& of, const digest::row& one) {
  if (of.anchor.empty()) return of.otherwise_at;
  const auto line = of.anchor_lines.find(one.name_space());
  const std::size_t known = line == of.anchor_lines.end() ? 1 : line->second;
  return source_place{of.anchor, static_cast<unsigned>(known)};
}

std::string headline(const digest::row& of) {
  std::string what = " asks every shard (";
  if (is_error(of.what.why)) {
    what = " is refused (";
  } else if (of.exceeds_fanout) {
    what = " asks " + std::to_string(of.shards.most) + " shards (";
  }
  return text::to_plain(of.command + " " + of.name_space() + what +
                        std::string{label(of.what.why)} + ")");
}

std::string absent_headline(const config::accepted_shape& of) {
  return text::to_plain(of.command + " " + of.name_space + " " +
                        routing::shape_hash_text(of.shape_hash) +
                        " is in the baseline, and wasn't seen");
}

std::string test_of(const ci_site& of) {
  if (of.of->is_at_call_site) return of.at->test;
  for (const digest::caller& one : of.of->of->who.ranked()) {
    if (!one.test.empty()) return one.test;
  }
  return {};
}

std::string message(const report_model& in, const ci_site& at) {
  const ci_finding& of = *at.of;
  const digest::row& one = *of.of;
  std::string text = one.what.suggestion.empty() ? "" : one.what.suggestion + ". ";
  if (one.what.statement) {
    text += "Statement: " + digest::statement_text(one) + ". ";
  }
  if (const std::string test = test_of(at); !test.empty()) text += "During test " + test + ". ";
  text += "Shape " + routing::shape_hash_text(one.shape_hash) + ", sent " +
          with_commas(one.count) + (one.count == 1 ? " time: " : " times: ") +
          one.what.shape_json;
  if (in.against != nullptr && of.state != baseline_state::is_new) {
    text += " Baseline: " + state_text(*in.against, one) + ".";
  }
  return text::to_plain(text);
}

std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char letter : text::to_plain(text)) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += letter;
    }
  }
  // U+FFFE and U+FFFF are Unicode code points, but not valid in XML (XML 1.0, 2.2).
  for (const std::string_view none : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (std::size_t at = 0; (at = safe.find(none, at)) != safe.npos;) safe.replace(at, 3, "?");
  }
  return safe;
}

}  // namespace scattergate::report
