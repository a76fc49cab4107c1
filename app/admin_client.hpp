#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "app/admin_address.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// What a running proxy answered at its admin address.
struct admin_answer {
  unsigned status = 0;        ///< 200; 0: nothing came that is HTTP
  std::string status_line;    ///< "HTTP/1.1 200 OK"; empty where there is no status
  std::string body;           ///< what came of it
  bool is_whole = false;      ///< all of it came, in time and within the limit
  bool is_closed = false;     ///< the proxy closed the connection
  bool is_too_large = false;  ///< it is larger than the limit

  [[nodiscard]] bool is_good() const noexcept { return status == 200; }
  [[nodiscard]] bool wants_token() const noexcept { return status == 401; }
};

/// What is said where wants_token().
inline constexpr const char* token_required =
    "it requires the token of its admin.token_file: add --token-file";

/// GETs `path`. A problem where it can't be asked. Everything together takes `patience` at
/// most, and no more than `max_bytes` are kept.
[[nodiscard]] text::result<admin_answer> get_from_admin(const admin_address& address,
                                                        std::string_view path,
                                                        std::size_t max_bytes,
                                                        std::chrono::seconds patience);

}  // namespace scattergate::app
