#pragma once

#include "proxy/judging/request_view.hpp"

namespace scattergate::proxy {

/// Which replies mongos sends to a request, as far as the request's header and flags show it.
struct expected_replies {
  bool is_answered = false;   ///< a reply will come; if `is_uncertain`, a reply may come
  bool is_uncertain = false;  ///< it is unknown whether a reply comes
  bool may_stream = false;    ///< several replies may come (exhaust)
};

/// Derives the expected replies from the request's opCode and, for an OP_MSG, its flags.
[[nodiscard]] expected_replies expect_replies(const request_view& request) noexcept;

}  // namespace scattergate::proxy
