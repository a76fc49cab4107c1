#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/values/value.hpp"

/// Access to a cluster through libmongoc (MongoDB's C driver), as an application has it. No
/// other code uses libmongoc.
namespace scattergate::sim::demo {

/// What a command is counted under: its name, and the database and collection that it names.
struct command_target {
  std::string database;
  std::string collection;  ///< empty: the command names none
  std::string command;
  auto operator<=>(const command_target&) const = default;
};

/// Counts the commands that the driver reports, by command_target. Thread-safety: one thread at
/// a time; merge the tallies of several threads after they have ended.
class tally {
 public:
  /// Counts one command.
  void add(command_target target) { ++counts_[std::move(target)]; }
  /// Adds all counts of `other` to this tally.
  void merge(const tally& other);
  /// The counts as one line of JSON:
  /// {"total":N,"commands":[{"db":..,"collection":..,"command":..,"count":N},...]}
  [[nodiscard]] std::string to_json() const;

 private:
  std::map<command_target, std::uint64_t> counts_;
};

/// A failed command, with the message of the driver or the server.
class driver_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Initialises libmongoc, and cleans it up at the end. Create one object, in main().
/// Thread-safety: construct and destroy it while no other thread uses the driver.
class driver {
 public:
  driver();
  ~driver();
  driver(const driver&) = delete;
  driver& operator=(const driver&) = delete;
};

/// An application's connection to one database. Any function throws driver_error if its command
/// fails, except for duplicate keys: these are ignored, so that a program can be run twice.
/// `collection` is the name of a collection. `options`: further fields of the command ("sort",
/// "limit", ...). Thread-safety: one thread at a time.
class client {
 public:
  /// `uri`: a connection string. Connects when the first command is sent. Throws driver_error
  /// if the URI is invalid.
  client(const std::string& uri, const std::string& app_name, std::string database);
  ~client();
  client(client&&) noexcept;
  client& operator=(client&&) noexcept;

  /// Runs a find and returns all results.
  std::vector<document> find(const char* collection, const document& filter,
                             const document& options = {});
  /// Runs an aggregation and returns all results.
  std::vector<document> aggregate(const char* collection, const array& pipeline,
                                  const document& options = {});
  /// Inserts documents, unordered.
  void insert(const char* collection, array documents);
  /// Runs the statements of a command update ({q, u, ...}), unordered.
  void update(const char* collection, array statements, const document& options = {});
  /// Deletes all matching documents.
  void delete_many(const char* collection, const document& filter);
  /// Updates one matching document by findAndModify. `upsert`: inserts one if none matches.
  void find_and_modify(const char* collection, const document& filter, const document& change,
                       bool upsert = false);
  /// Runs a command on the database `admin`.
  void run_on_admin(const document& command);

  /// The counts of all commands sent so far, including commands that the driver sends by
  /// itself. Excludes handshakes and authentication, which the driver doesn't report.
  [[nodiscard]] const tally& sent() const noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

/// The options of a find that returns at most one document.
[[nodiscard]] inline document limit_one() {
  return {{"limit", std::int64_t{1}}};
}

}  // namespace scattergate::sim::demo
