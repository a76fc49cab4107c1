#include "report/views/report_github.hpp"

#include "digest/words.hpp"
#include "report/views/ci_findings.hpp"

namespace scattergate::report {
namespace {

/// Escapes as the runner unescapes (actions/toolkit: core/src/command.ts); properties need more
/// escapes than the message.
std::string escaped(std::string_view text, bool is_property) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '%':
        safe += "%25";
        break;
      case '\r':
        safe += "%0D";
        break;
      case '\n':
        safe += "%0A";
        break;
      case ':':
        safe += is_property ? "%3A" : ":";
        break;
      case ',':
        safe += is_property ? "%2C" : ",";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

}  // namespace

std::string report_github(const report_model& of) {
  std::string text;
  for (const ci_finding& one : findings_of(of)) {
    text += one.is_accepted() ? "::notice " : "::error ";
    if (one.at) {
      text +=
          "file=" + escaped(one.at->path, true) + ",line=" + std::to_string(one.at->line) + ",";
    }
    text += "title=" + escaped(headline(*one.of), true) +
            "::" + escaped(message(of, one), false) + "\n";
  }
  if (of.against == nullptr) return text;
  for (const config::accepted_shape* one : of.against->absent()) {
    text += "::notice title=" + escaped(absent_headline(*one), true) +
            "::" + escaped(digest::one_line(row_of(*one)), false) + "\n";
  }
  return text;
}

}  // namespace scattergate::report
