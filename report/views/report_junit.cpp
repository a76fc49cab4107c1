#include "report/views/report_junit.hpp"

#include "report/views/ci_findings.hpp"
#include "routing/shape/shape.hpp"

namespace scattergate::report {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string{name} + "=\"" + xml_text(value) + "\"";
}

std::string test_case(const report_model& in, const ci_finding& one) {
  std::string text = "  <testcase" + attribute("classname", one.of->name_space());
  text +=
      attribute("name", one.of->command + " " + routing::shape_hash_text(one.of->shape_hash));
  if (one.at) {
    text += attribute("file", one.at->path) + attribute("line", std::to_string(one.at->line));
  }
  text += " time=\"0\">\n";
  if (one.is_accepted()) {
    text += "    <skipped" + attribute("message", message(in, one)) + "/>\n";
  } else {
    text += "    <failure" + attribute("type", label(one.of->what.why)) +
            attribute("message", headline(*one.of)) + ">" + xml_text(message(in, one)) +
            "</failure>\n";
  }
  return text + "  </testcase>\n";
}

/// Baseline entries that weren't seen: a note, not a test.
std::string absent_text(const report_model& of) {
  if (of.against == nullptr || of.against->absent().empty()) return {};
  std::string text = "  <system-out>";
  for (const config::accepted_shape* one : of.against->absent()) {
    text += xml_text(absent_headline(*one)) + "\n";
  }
  return text + "  </system-out>\n";
}

}  // namespace

std::string report_junit(const report_model& of) {
  const auto found = findings_of(of);
  std::size_t skipped = 0;
  std::string cases;
  for (const ci_finding& one : found) {
    if (one.is_accepted()) ++skipped;
    cases += test_case(of, one);
  }
  if (found.empty()) {
    cases = "  <testcase classname=\"scattergate\" name=\"nothing scatters\" time=\"0\"/>\n";
  }
  const std::string counts =
      " name=\"scattergate\" tests=\"" + std::to_string(found.empty() ? 1 : found.size()) +
      "\" failures=\"" + std::to_string(found.size() - skipped) + "\" errors=\"0\" skipped=\"" +
      std::to_string(skipped) + "\" time=\"0\">\n";
  const std::string whole = " name=\"scattergate\" tests=\"" +
                            std::to_string(found.empty() ? 1 : found.size()) +
                            "\" failures=\"" + std::to_string(found.size() - skipped) + "\">\n";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + whole + " <testsuite" +
         counts + cases + absent_text(of) + " </testsuite>\n</testsuites>\n";
}

}  // namespace scattergate::report
