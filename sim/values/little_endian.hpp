#pragma once

#include <array>
#include <string>

#include "wire/endian.hpp"

namespace scattergate::sim {

/// Appends the bytes of a number to `out`, the lowest first.
template <typename T>
void append_little(std::string& out, T number) {
  std::array<char, sizeof(T)> bytes;
  wire::store_little(bytes.data(), number);
  out.append(bytes.data(), bytes.size());
}

}  // namespace scattergate::sim
