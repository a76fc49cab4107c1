#pragma once

#include <optional>
#include <string>

#include "config/options/options.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// A connection string, and a warning about its source.
struct catalog_uri {
  std::string text;  ///< the connection string, with its secrets
  /// A weakness of the source, such as a file that every user can read.
  std::optional<text::problem> warning{};
};

/// The connection string for a live catalog, the first that is set of: catalog.uri; the content
/// of catalog.uri_file; the upstreams of the first listener, with its upstream_tls and without
/// credentials.
[[nodiscard]] text::result<catalog_uri> find_catalog_uri(const options& from);

/// The connection string for self-checks: the content of verify.uri_file, or else the upstreams
/// of the first listener.
[[nodiscard]] text::result<catalog_uri> find_self_check_uri(const options& from);

/// The connection string for the fleet's database: the content of fleet.uri_file.
[[nodiscard]] text::result<catalog_uri> find_fleet_uri(const options& from);

/// Reads the connection string from a file's first line, without surrounding blanks.
[[nodiscard]] text::result<catalog_uri> read_uri_file(const std::string& path);

}  // namespace scattergate::config
