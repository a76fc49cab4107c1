#pragma once

#include <string_view>

#include "report/sources/observation.hpp"

namespace scattergate::report {

/// Reads one line of a proxy's audit log (docs/audit.md): a row judged already.
void read_audit_line(std::string_view line, observer& to);

}  // namespace scattergate::report
