#include "report/views/report_model.hpp"

#include "report/views/number_text.hpp"

namespace scattergate::report {

bool is_told_apart(const digest::row& one) noexcept {
  return one.what.routing >= routing::routing_class::multi_shard;
}

std::string source_text(const source_facts& of) {
  std::string text = of.name + " (" + std::string{label(of.kind)} +
                     "): " + with_commas(of.tally.observations) + " commands";
  for (std::size_t i = 0; i < skip_reason_count; ++i) {
    if (of.tally.skipped[i] == 0) continue;
    text += ", " + with_commas(of.tally.skipped[i]) + " " +
            std::string{label(static_cast<skip_reason>(i))};
  }
  if (!of.error.empty()) text += "; the rest wasn't read: " + of.error;
  return text;
}

}  // namespace scattergate::report
