#pragma once

#include <optional>
#include <string>

#include "config/options/options.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// The connection string for a live catalog.
struct catalog_uri {
  std::string text;  ///< the connection string, with its secrets
  /// A weakness of its source, such as a readable file.
  std::optional<text::problem> warning{};
};

/// The first of: catalog.uri; the content of catalog.uri_file; the upstreams of the first
/// listener, with its upstream_tls and without credentials.
[[nodiscard]] text::result<catalog_uri> find_catalog_uri(const options& from);

/// The connection string for self-checks: the content of verify.uri_file, or else the upstreams
/// of the first listener.
[[nodiscard]] text::result<catalog_uri> find_self_check_uri(const options& from);

/// The connection string for the fleet's database: the content of fleet.uri_file.
[[nodiscard]] text::result<catalog_uri> find_fleet_uri(const options& from);

/// The connection string in a file's first line, trimmed.
[[nodiscard]] text::result<catalog_uri> read_uri_file(const std::string& path);

}  // namespace scattergate::config
