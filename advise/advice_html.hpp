#pragma once

#include <cstddef>
#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// Appends advice as HTML, one section per collection. Omits the first section that would make
/// `html` longer than `max_bytes`, and all later sections; then appends how many sections are
/// omitted. `heading`: the level of the
/// sections' headings; 2 means <h2>.
void append_advice_html(std::string& html, const advice& of, std::size_t max_bytes,
                        int heading = 2);

}  // namespace scattergate::advise
