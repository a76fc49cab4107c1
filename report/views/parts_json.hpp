#pragma once

#include <string>

#include "report/views/report_model.hpp"

namespace scattergate::report {

/// Appends what commands add up to by hour, collection and sender, as members of the report's
/// object: ,"perHour":[...],"byCollection":[...],"byApp":[...],... Nothing where the model has
/// no parts.
void append_parts(std::string& to, const report_model& of);

}  // namespace scattergate::report
