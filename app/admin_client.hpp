#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "app/admin_address.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// A running daemon's answer at its admin address.
struct admin_answer {
  unsigned status = 0;        ///< 200; 0: the answer wasn't HTTP
  std::string status_line;    ///< "HTTP/1.1 200 OK"; empty if there was none
  std::string body;           ///< the part that was received
  bool is_whole = false;      ///< received completely, in time and within the limit
  bool is_closed = false;     ///< the daemon closed the connection
  bool is_too_large = false;  ///< the body exceeds the limit

  [[nodiscard]] bool is_good() const noexcept { return status == 200; }
  [[nodiscard]] bool requires_token() const noexcept { return status == 401; }
};

/// The error message if requires_token().
inline constexpr const char* token_required =
    "it requires the token of its admin.token_file: add --token-file";

/// GETs `path`. Returns a problem if the request can't be sent. Takes at most `patience` in
/// total, and keeps at most `max_bytes`.
[[nodiscard]] text::result<admin_answer> get_from_admin(const admin_address& address,
                                                        std::string_view path,
                                                        std::size_t max_bytes,
                                                        std::chrono::seconds patience);

}  // namespace scattergate::app
