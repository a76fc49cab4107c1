#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "app/admin_address.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// A daemon's answer to a request at its admin address, as far as it was received.
struct admin_answer {
  unsigned status = 0;        ///< HTTP status; 0: no HTTP header was received
  std::string status_line;    ///< such as "HTTP/1.1 200 OK"; empty if status is 0
  std::string body;           ///< the part that was received
  bool is_whole = false;      ///< the answer was received completely, in time and within the
                              ///< size limit
  bool is_closed = false;     ///< the daemon closed the connection
  bool is_too_large = false;  ///< the body exceeds the size limit

  [[nodiscard]] bool is_good() const noexcept { return status == 200; }
  [[nodiscard]] bool requires_token() const noexcept { return status == 401; }
};

/// The error message for an answer with requires_token().
inline constexpr const char* token_required =
    "it requires the token of its admin.token_file: add --token-file";

/// Requests `path` with GET. Returns a problem if it can't connect or if the reply isn't HTTP;
/// an incomplete answer isn't a problem. Waits at most `patience` in total, besides resolving
/// the name. Accepts a body of at most `max_bytes`.
[[nodiscard]] text::result<admin_answer> get_from_admin(const admin_address& address,
                                                        std::string_view path,
                                                        std::size_t max_bytes,
                                                        std::chrono::seconds patience);

}  // namespace scattergate::app
