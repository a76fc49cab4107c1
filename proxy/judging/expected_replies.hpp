#pragma once

#include "proxy/judging/request_view.hpp"

namespace scattergate::proxy {

/// The replies to expect for a request, derived without reading its body.
struct expected_replies {
  bool is_answered = false;  ///< a reply will come (with is_uncertain: may come)
  bool is_uncertain = false;
  bool may_stream = false;
};

/// Derives the expected replies from the opCode and the flags of an OP_MSG.
[[nodiscard]] expected_replies expect_replies(const request_view& request) noexcept;

}  // namespace scattergate::proxy
