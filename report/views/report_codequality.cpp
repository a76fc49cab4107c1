#include "report/views/report_codequality.hpp"

#include <boost/json.hpp>

#include "report/views/ci_findings.hpp"
#include "routing/shape/shape.hpp"

namespace scattergate::report {
namespace {

namespace json = boost::json;

/// GitLab takes entries with one fingerprint for one. A finding's first place keeps the shape's
/// hash, so that further places don't change it.
std::string fingerprint(const ci_site& of) {
  std::string made = routing::shape_hash_text(of.of->of->shape_hash);
  if (of.is_first) return made;
  return made + "-" + routing::shape_hash_text(routing::shape_hash({}, {}, of.at->path)) + "-" +
         std::to_string(of.number_in_file);
}

json::object issue(const report_model& in, const ci_site& one) {
  const ci_finding& finding = *one.of;
  json::object made;
  made["description"] = headline(*finding.of) + ". " + message(in, one);
  made["check_name"] = "scattergate/" + std::string{label(finding.of->what.why)};
  made["fingerprint"] = fingerprint(one);
  made["severity"] = finding.is_accepted() ? "info" : "major";
  made["location"] = {{"path", one.at == nullptr ? no_path : one.at->path},
                      {"lines", {{"begin", one.at == nullptr ? 1U : one.at->line}}}};
  return made;
}

}  // namespace

std::string report_codequality(const report_model& of) {
  json::array issues;
  for (const ci_finding& one : findings_of(of)) {
    for (const ci_site& site : sites_of(one)) issues.push_back(issue(of, site));
  }
  return json::serialize(issues) + "\n";
}

}  // namespace scattergate::report
