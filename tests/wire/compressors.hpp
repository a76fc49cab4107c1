#pragma once

#include "wire/compressed.hpp"

namespace scattergate::wire_tests {

/// All compressors that the wire protocol defines, to run a test with each.
inline constexpr wire::compressor every_compressor[] = {
    wire::compressor::none, wire::compressor::snappy, wire::compressor::zlib,
    wire::compressor::zstd};

}  // namespace scattergate::wire_tests
