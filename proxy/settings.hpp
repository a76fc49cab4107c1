#pragma once

#include <memory>

#include "proxy/policy.hpp"
#include "routing/catalog.hpp"

namespace scattergate::proxy {

/// What a reload replaces, as one: every worker holds a snapshot and changes it between two
/// messages.
/// Thread-safety: immutable.
struct settings {
  std::shared_ptr<const routing::catalog> catalog = routing::catalog::absent();
  policy rules;
  bool inspect = true;
  bool reject_uninspected = false;  ///< under a reject rule
};

}  // namespace scattergate::proxy
