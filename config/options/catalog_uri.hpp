#pragma once

#include <optional>
#include <string>

#include "config/options/options.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// A connection string from the options, and a warning about where it was stored.
struct catalog_uri {
  std::string text;  ///< the connection string, with its secrets
  /// A weakness of the source, such as a file that every user can read; empty: none.
  std::optional<text::problem> warning{};
};

/// The connection string for a live catalog: catalog.uri, otherwise the content of
/// catalog.uri_file. If neither is set, makes a connection string from the first listener's
/// upstreams and upstream_tls, without credentials. Returns a problem if the file is unusable,
/// or if no connection string can be made: the listener has no upstream, its upstreams expect
/// PROXY headers, or the driver can't use its upstream_tls.
[[nodiscard]] text::result<catalog_uri> find_catalog_uri(const options& from);

/// The connection string for self-checks: the content of verify.uri_file. If that isn't set,
/// makes a connection string from the first listener's upstreams and upstream_tls, without
/// credentials. Returns a problem if the file is unusable, or if no connection string can be
/// made (see find_catalog_uri()).
[[nodiscard]] text::result<catalog_uri> find_self_check_uri(const options& from);

/// The connection string for the fleet's database: the content of fleet.uri_file. Returns a
/// problem if the file can't be read or its first line is blank.
[[nodiscard]] text::result<catalog_uri> find_fleet_uri(const options& from);

/// Reads a connection string from a file's first line, without surrounding blanks. Returns a
/// problem if the file can't be read or the line is blank.
[[nodiscard]] text::result<catalog_uri> read_uri_file(const std::string& path);

}  // namespace scattergate::config
