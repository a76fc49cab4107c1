#pragma once

#include <cstddef>
#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// Appends a section per collection, built from text/html_blocks, up to a total size of
/// `max_bytes`; says how many sections were omitted. `heading`: the level of a collection's
/// heading, 2 for <h2>.
void append_advice_html(std::string& html, const advice& of, std::size_t max_bytes,
                        int heading = 2);

}  // namespace scattergate::advise
