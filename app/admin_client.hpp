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
  std::string body;           ///< the part of the body that was received
  bool is_whole = false;      ///< the answer was received completely, in time and within the
                              ///< size limit
  bool is_closed = false;     ///< the daemon closed the connection
  bool is_too_large = false;  ///< the body exceeds the size limit

  /// Whether the daemon answered with success.
  [[nodiscard]] bool is_good() const noexcept { return status == 200; }
  /// Whether the daemon refused the request, because it lacked a valid token.
  [[nodiscard]] bool requires_token() const noexcept { return status == 401; }
};

/// The error message for an answer whose requires_token() is true.
inline constexpr const char* token_required =
    "it requires the token of its admin.token_file: add --token-file";

/// Requests `path` from a daemon's admin address, with GET. Returns a problem if connecting or
/// TLS fails, or if the reply isn't HTTP. An incomplete answer isn't a problem: see
/// admin_answer::is_whole. Waits at most `patience` in total, not counting the time to resolve
/// the name. Accepts a body of at most `max_bytes`.
[[nodiscard]] text::result<admin_answer> get_from_admin(const admin_address& address,
                                                        std::string_view path,
                                                        std::size_t max_bytes,
                                                        std::chrono::seconds patience);

}  // namespace scattergate::app
