#include "report/views/report_github.hpp"

#include <vector>

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

/// GitHub shows this many annotations of each level for a step of a job, and drops the others.
constexpr std::size_t most_annotations = 10;

/// Writes annotations: the first ones of each level as commands of GitHub's runner, the others
/// as plain lines of the log.
class annotation_writer {
 public:
  void error(const ci_site& of, const std::string& message) {
    add(errors_, most_annotations, {"error", of.at, headline(*of.of->of), message});
  }
  void notice(const ci_site& of, const std::string& message) {
    add(notices_, most_notices, {"notice", of.at, headline(*of.of->of), message});
  }
  /// A notice without a place.
  void notice(const std::string& title, const std::string& message) {
    add(notices_, most_notices, {"notice", nullptr, title, message});
  }

  std::string finished() {
    if (further_ == 0) return std::move(commands_);
    const std::string count = std::to_string(further_);
    commands_ += "::notice title=scattergate: " + count + " further::GitHub shows at most " +
                 std::to_string(most_annotations) +
                 " annotations of each level. The log of this step lists the others; the job's "
                 "summary has all of them with -o \"$GITHUB_STEP_SUMMARY\".\n";
    return commands_ + lines_;
  }

 private:
  static constexpr std::size_t most_notices = most_annotations - 1;  // finished() writes one

  struct annotation {
    std::string level;
    const source_place* at;
    std::string title, message;
  };

  void add(std::size_t& count, std::size_t most, const annotation& one) {
    if (count == most) {
      ++further_;
      lines_ += one.level + (one.at == nullptr ? "" : " " + to_string(*one.at)) + ": " +
                one.title + "\n";
      return;
    }
    ++count;
    commands_ += "::" + one.level + " ";
    if (one.at != nullptr) {
      commands_ +=
          "file=" + escaped(one.at->path, true) + ",line=" + std::to_string(one.at->line) + ",";
    }
    commands_ +=
        "title=" + escaped(one.title, true) + "::" + escaped(one.message, false) + "\n";
  }

  std::string commands_;
  std::string lines_;
  std::size_t errors_ = 0;
  std::size_t notices_ = 0;
  std::size_t further_ = 0;
};

}  // namespace

std::string report_github(const report_model& of) {
  annotation_writer writer;
  const auto found = findings_of(of);
  std::vector<std::vector<ci_site>> sites;
  for (const ci_finding& one : found) sites.push_back(sites_of(one));
  // Each finding at one place comes before any finding's further places.
  for (std::size_t number = 0; number < most_places; ++number) {
    for (const auto& of_one : sites) {
      if (number >= of_one.size()) continue;
      const ci_site& site = of_one[number];
      if (site.of->is_accepted()) {
        writer.notice(site, message(of, site));
      } else {
        writer.error(site, message(of, site));
      }
    }
  }
  if (of.against != nullptr) {
    for (const config::accepted_shape* one : of.against->absent()) {
      writer.notice(absent_headline(*one), digest::one_line(row_of(*one)));
    }
  }
  return writer.finished();
}

}  // namespace scattergate::report
