#pragma once

#include "proxy/judging/request_view.hpp"

namespace scattergate::proxy {

/// Which replies mongos sends to a request, as far as the request's header and flags show it.
struct expected_replies {
  bool is_answered = false;   ///< a reply will come; also true if `is_uncertain`
  bool is_uncertain = false;  ///< a reply may come or may not
  bool may_stream = false;    ///< several replies may come (exhaust)
};

/// Derives the expected replies from the request's opCode and, for an OP_MSG, its flags.
[[nodiscard]] expected_replies expect_replies(const request_view& request) noexcept;

}  // namespace scattergate::proxy
