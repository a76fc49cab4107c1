#pragma once

#include <cstddef>
#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// Appends advice as HTML, one section per collection. Stops before `html` would exceed
/// `max_bytes` in total, and appends how many sections are omitted. `heading`: the level of the
/// sections' headings; 2 means <h2>.
void append_advice_html(std::string& html, const advice& of, std::size_t max_bytes,
                        int heading = 2);

}  // namespace scattergate::advise
