#pragma once

#include "wire/compressed.hpp"

namespace scattergate::wire_tests {

/// The compressors that a message can name.
inline constexpr wire::compressor every_compressor[] = {
    wire::compressor::none, wire::compressor::snappy, wire::compressor::zlib,
    wire::compressor::zstd};

}  // namespace scattergate::wire_tests
