#pragma once

#include <string>

#include "digest/row.hpp"

namespace scattergate::digest {

/// Appends a row as a JSON object: what the report, the API and the state file say of a shape
/// (docs/report.md has its schema).
void append_json(std::string& to, const row& of);

}  // namespace scattergate::digest
