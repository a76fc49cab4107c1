#include "report/views/report_codequality.hpp"

#include <boost/json.hpp>

#include "report/views/ci_findings.hpp"
#include "routing/shape/shape.hpp"

namespace scattergate::report {
namespace {

namespace json = boost::json;

/// GitLab drops findings without a path; this path doesn't exist and says so.
constexpr std::string_view no_path = "not-listed-by-a-comment";

json::object issue(const report_model& in, const ci_finding& one) {
  const std::string_view path = one.at ? std::string_view{one.at->path} : no_path;
  json::object made;
  made["description"] = headline(*one.of) + ". " + message(in, one);
  made["check_name"] = "scattergate/" + std::string{label(one.of->what.why)};
  made["fingerprint"] = routing::shape_hash_text(one.of->shape_hash);
  made["severity"] = one.is_accepted() ? "info" : "major";
  made["location"] = {{"path", path}, {"lines", {{"begin", one.at ? one.at->line : 1}}}};
  return made;
}

}  // namespace

std::string report_codequality(const report_model& of) {
  json::array issues;
  for (const ci_finding& one : findings_of(of)) issues.push_back(issue(of, one));
  return json::serialize(issues) + "\n";
}

}  // namespace scattergate::report
