#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace scattergate::telemetry {

/// What all parts of the page are made of. Texts may hold anything: they are escaped here.

/// "<td>text</td>"
void append_cell(std::string& html, std::string_view text);

/// A cell with a number; zero is left empty, and one that is bad is made to be seen.
void append_number(std::string& html, std::uint64_t number, bool is_bad = false);

/// The cell of a number that isn't known.
void append_unknown(std::string& html);

/// One line of a list of facts; nothing where there is nothing to say.
void append_fact(std::string& html, std::string_view name, std::string_view text);

/// The same of what is pasted elsewhere.
void append_code(std::string& html, std::string_view name, std::string_view text);

}  // namespace scattergate::telemetry
