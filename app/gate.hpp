#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/admin_address.hpp"
#include "app/baseline_check.hpp"
#include "app/report_output.hpp"

namespace scattergate::app {

/// The flags of the subcommand `gate`. `unset` means that the user hasn't given the flag.
struct gate_flags {
  std::vector<std::string> command;        ///< the command to run, with its arguments; empty
                                           ///< with `from`
  std::optional<std::string> from;         ///< the admin address (URL) of a running proxy to
                                           ///< judge, instead of running a command
  admin_credential_files credentials;      ///< for `from`
  std::optional<std::string> catalog;      ///< a file or preset:NAME; unset or `mongos`: the
                                           ///< catalog of the cluster
  std::optional<std::string> catalog_uri;  ///< connection string of the mongos to read the
                                           ///< catalog from; unset: the first upstream
  std::optional<std::string> upstream;     ///< the servers behind the proxy (hosts or a
                                           ///< connection string); unset: the servers that
                                           ///< `variables` name
  std::optional<std::string> listen;       ///< the first listener; unset: any free port
  std::optional<std::string> admin;  ///< the admin address; unset: a temporary Unix socket
  bool has_test_marker = false;      ///< whether the command may name its running test by HTTP
  std::vector<std::string> variables;  ///< names of environment variables with connection
                                       ///< strings (--env)
  std::optional<std::string> format;   ///< format of the report on standard error; unset:
                                       ///< text
  std::vector<std::string> outputs;    ///< report files to write; their names choose the format
  baseline_flags baseline;
  place_flags places;
  std::optional<std::string> rules;       ///< a configuration file with rules and comments
  std::optional<std::string> max_fanout;  ///< "all" or a number; unset: all
  bool ignores_failed = false;            ///< leave out findings whose commands all failed
  unsigned wait_seconds = 60;             ///< how long to wait for a server that the gate needs
  /// Whether the run fails if none of the MongoDB commands is on a collection that the catalog
  /// shards.
  bool requires_match = false;
};

/// The default of gate_flags::requires_match: true if the environment variable CI is "true".
[[nodiscard]] bool requires_match_by_default();

/// Runs a command, such as a test suite, with a proxy in front of the MongoDB server that it
/// uses; or reads the counts of a running proxy, through which a test suite ran. Reports
/// findings in the traffic: query shapes that ask every shard, because their filter doesn't
/// bound the shard key. If the command connected to the proxy, the last line on standard error
/// says PASS or FAIL, and the next step for the user. Returns the exit status, the first that
/// applies:
/// - 2: the gate can't start, for example because of an invalid flag, no usable server or no
///   catalog
/// - 127 or 126: the command can't be started (see gate_child::status_of())
/// - the command's exit status, if it isn't 0
/// - 2: the command never connected to the proxy, a file can't be written, or requires_match
///   fails the run
/// - 1: there are findings that --fail-on names (by default, new ones)
/// - 0
[[nodiscard]] int gate(const gate_flags& given);

}  // namespace scattergate::app
