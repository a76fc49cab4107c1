#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/admin_address.hpp"
#include "digest/sketches/sketch_set.hpp"
#include "digest/table.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// A daemon's digest (a table with a row per shape of commands), read from the admin address.
struct daemon_digest {
  digest::table rows;
  std::uint64_t bytes = 0;             ///< size of the answer
  std::optional<text::problem> end{};  ///< why a part of the answer couldn't be read; unset:
                                       ///< everything was read
  /// The daemon's statistics of key values; unset: the daemon keeps none, or they can't be
  /// read.
  std::optional<digest::sketch_set> sketches{};
};
/// Reads the digest of the daemon at `url`, an http or https URL. Keeps at most `max_rows`
/// rows. Fails if the daemon gives no usable answer within 30 s.
[[nodiscard]] text::result<daemon_digest> read_daemon(std::string_view url,
                                                      const admin_credentials& credentials,
                                                      std::size_t max_rows);

}  // namespace scattergate::app
