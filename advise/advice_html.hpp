#pragma once

#include <cstddef>
#include <string>

#include "advise/advice.hpp"

namespace scattergate::advise {

/// Appends a section per collection, built from text/html_blocks, up to a total size of
/// `max_bytes`; says how many sections were omitted.
void append_advice_html(std::string& html, const advice& of, std::size_t max_bytes);

}  // namespace scattergate::advise
