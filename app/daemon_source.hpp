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

/// A daemon's digest (a table with a row of counts per shape of commands), read from the
/// daemon's admin address.
struct daemon_digest {
  digest::table rows;
  std::uint64_t bytes = 0;             ///< size of the answer
  std::optional<text::problem> end{};  ///< why a part of the answer couldn't be read; unset:
                                       ///< everything was read
  /// The daemon's sketches: statistics of hashed values. Unset: the daemon keeps none, or they
  /// can't be read.
  std::optional<digest::sketch_set> sketches{};
};
/// Reads the digest of the daemon at `url`, an http or https URL of its admin address. Keeps at
/// most `max_rows` rows. Returns a problem if the daemon gives no usable answer within 30 s.
[[nodiscard]] text::result<daemon_digest> read_daemon(std::string_view url,
                                                      const admin_credentials& credentials,
                                                      std::size_t max_rows);

}  // namespace scattergate::app
