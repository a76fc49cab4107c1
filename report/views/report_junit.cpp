#include "report/views/report_junit.hpp"

#include <set>

#include "digest/cut_text.hpp"
#include "report/views/ci_findings.hpp"

namespace scattergate::report {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string{name} + "=\"" + xml_text(value) + "\"";
}

constexpr std::size_t most_of_shape = 160;

/// Names of tests: "find src/orders.py:42"; with the shape instead of a place if no comment
/// names a place. Readers merge tests of equal names, so a name that another test has gets the
/// shape too, or a number.
class test_names {
 public:
  std::string name(const ci_site& of) {
    const digest::row& row = *of.of->of;
    const std::string shape =
        " " + std::string{digest::cut_text(row.what.shape_json, most_of_shape)};
    const bool is_call_site = of.of->is_at_call_site;
    std::string made = row.command + (is_call_site ? " " + to_string(*of.at) : shape);
    if (is_new(row, made)) return made;
    if (is_call_site) made += shape;
    std::string numbered = made;
    for (std::size_t number = 2; !is_new(row, numbered); ++number) {
      numbered = made + " (" + std::to_string(number) + ")";
    }
    return numbered;
  }

 private:
  bool is_new(const digest::row& of, const std::string& name) {
    return known_.insert(of.name_space() + "\n" + name).second;
  }

  std::set<std::string> known_;
};

std::string test_case(const report_model& in, const ci_site& site, test_names& names) {
  const ci_finding& one = *site.of;
  std::string text = "  <testcase" + attribute("classname", one.of->name_space());
  text += attribute("name", names.name(site));
  if (site.at != nullptr) {
    text += attribute("file", site.at->path) + attribute("line", std::to_string(site.at->line));
  }
  text += " time=\"0\">\n";
  if (one.is_accepted()) {
    text += "    <skipped" + attribute("message", message(in, site)) + "/>\n";
  } else {
    text += "    <failure" + attribute("type", label(one.of->what.why)) +
            attribute("message", headline(*one.of)) + ">" + xml_text(message(in, site)) +
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
  std::size_t tests = 0;
  std::size_t skipped = 0;
  std::string cases;
  test_names names;
  for (const ci_finding& one : findings_of(of)) {
    for (const ci_site& site : sites_of(one)) {
      ++tests;
      if (one.is_accepted()) ++skipped;
      cases += test_case(of, site, names);
    }
  }
  const std::string failures = std::to_string(tests - skipped);
  if (tests == 0) {
    tests = 1;
    cases = "  <testcase classname=\"scattergate\" name=\"nothing scatters\" time=\"0\"/>\n";
  }
  const std::string whole = " name=\"scattergate\" tests=\"" + std::to_string(tests) +
                            "\" failures=\"" + failures + "\"";
  const std::string counts =
      whole + " errors=\"0\" skipped=\"" + std::to_string(skipped) + "\" time=\"0\">\n";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + whole + ">\n <testsuite" +
         counts + cases + absent_text(of) + " </testsuite>\n</testsuites>\n";
}

}  // namespace scattergate::report
