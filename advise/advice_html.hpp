#pragma once

#include <cstddef>
#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// Appends a section for each collection, made of text/html_blocks, as long as `html` isn't
/// longer than `max_bytes`; what there is no room for is counted.
void append_advice_html(std::string& html, const advice& of, std::size_t max_bytes);

}  // namespace scattergate::advise
