#pragma once

#include "proxy/judging/request_view.hpp"

namespace scattergate::proxy {

/// What the replies to a request will be, as far as that can be told without reading it.
struct expected_replies {
  bool is_answered = false;  ///< or may be, where is_uncertain
  bool is_uncertain = false;
  bool may_stream = false;
};

/// Tells it by the opCode and, of an OP_MSG, the flags.
[[nodiscard]] expected_replies expect_replies(const request_view& request) noexcept;

}  // namespace scattergate::proxy
