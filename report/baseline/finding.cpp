#include "report/baseline/finding.hpp"

#include "digest/words.hpp"

namespace scattergate::report {

bool is_finding(const digest::row& one) noexcept {
  return one.what.routing == routing::routing_class::scatter_gather &&
         digest::can_be_finding(one);
}

}  // namespace scattergate::report
