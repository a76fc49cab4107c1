#pragma once

#include <cstddef>

namespace scattergate::report {

/// How many bytes of an input are read at a time.
inline constexpr std::size_t input_block_bytes = 256 * 1024;

}  // namespace scattergate::report
