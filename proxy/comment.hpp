#pragma once

#include <string_view>

#include "wire/command.hpp"

namespace scattergate::proxy {

/// The text of a command's `comment`: a string as it is, a document as "?object", anything else
/// as "?value"; empty without one. At most limits::max_comment_bytes, cut between UTF-8
/// characters.
[[nodiscard]] std::string_view comment_of(const wire::command& command) noexcept;

}  // namespace scattergate::proxy
