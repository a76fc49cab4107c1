#pragma once

#include <string>
#include <string_view>

#include "digest/row.hpp"
#include "digest/table.hpp"

namespace scattergate::digest {

/// Appends a row as a JSON object: what the report, the API and the state file say of a shape
/// (docs/report.md has its schema). `baseline`: how it stands to one, as the contract calls it;
/// empty where there is none.
void append_json(std::string& to, const row& of, std::string_view baseline = {});

/// Appends when the first and the last command were: {"from":...,"to":...}.
void append_window(std::string& to, const totals& of);

/// Appends what all commands add up to: {"commands":...,"byRouting":{...},...}.
void append_json(std::string& to, const totals& of);

}  // namespace scattergate::digest
