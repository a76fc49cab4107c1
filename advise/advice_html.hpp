#pragma once

#include <cstddef>
#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// Appends advice as HTML: an explanation of the columns, then one section per collection.
/// Stops before the section that would make `html` longer than `max_bytes`, and appends how
/// many sections are missing. `heading`: the level of the sections' headings; 2 means <h2>.
void append_advice_html(std::string& html, const advice& of, std::size_t max_bytes,
                        int heading = 2);

}  // namespace scattergate::advise
