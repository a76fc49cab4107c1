#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/admin_address.hpp"
#include "digest/table.hpp"

namespace scattergate::app {

/// What a daemon has counted, asked for over its admin address.
struct daemon_digest {
  digest::table rows;
  std::uint64_t bytes = 0;  ///< of its answer
  std::string error;        ///< one line; empty: all is well
};
[[nodiscard]] daemon_digest read_daemon(std::string_view url, const admin_guard& guard,
                                        std::size_t max_rows);

}  // namespace scattergate::app
