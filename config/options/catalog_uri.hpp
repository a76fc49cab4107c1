#pragma once

#include <optional>
#include <string>

#include "config/options/options.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// Where a live catalog is read from.
struct catalog_uri {
  std::string text;                        ///< a connection string, secrets included
  std::optional<text::problem> warning{};  ///< what isn't well with where it came from
};

/// catalog.uri, else what catalog.uri_file holds, else the upstreams of the first listener,
/// with its upstream_tls and without credentials.
[[nodiscard]] text::result<catalog_uri> find_catalog_uri(const options& from);

/// The same for self-checks: what verify.uri_file holds, else the upstreams of the first
/// listener.
[[nodiscard]] text::result<catalog_uri> find_self_check_uri(const options& from);

/// The connection string in a file's first line, without blanks around it.
[[nodiscard]] text::result<catalog_uri> read_uri_file(const std::string& path);

}  // namespace scattergate::config
