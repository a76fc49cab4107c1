#pragma once

#include <cstddef>
#include <string_view>

namespace scattergate::digest {

/// The first `most` bytes of a text, or a few fewer, so that no UTF-8 character is split.
[[nodiscard]] constexpr std::string_view cut_text(std::string_view text,
                                                  std::size_t most) noexcept {
  if (text.size() <= most) return text;
  std::size_t size = most;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80) --size;
  return text.substr(0, size);
}

}  // namespace scattergate::digest
