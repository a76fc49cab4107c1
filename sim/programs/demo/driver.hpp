#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/programs/demo/tally.hpp"
#include "sim/values/value.hpp"

/// MongoDB's own C driver, as an application uses it. Only this code uses libmongoc.
namespace scattergate::sim::demo {

/// The driver's or the server's message for a failed command.
class driver_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Initialises libmongoc and cleans it up: one object in main(). Thread-safety: construct and
/// destroy while no other thread uses the driver.
class driver {
 public:
  driver();
  ~driver();
  driver(const driver&) = delete;
  driver& operator=(const driver&) = delete;
};

/// One updateOne of a bulk write.
struct update_statement {
  document filter;
  document change;
};

/// An application's connection to one database. Options are the command's own fields ("sort",
/// "limit", "comment", ...). All functions throw driver_error, except for an insert that
/// violates a unique index, so that a program may be run twice.
class client {
 public:
  /// `uri` is a connection string. Connects with the first command.
  client(const std::string& uri, const std::string& app_name, std::string database);
  ~client();
  client(client&&) noexcept;
  client& operator=(client&&) noexcept;

  std::vector<document> find(const char* collection, const document& filter,
                             const document& options = {});
  std::vector<document> aggregate(const char* collection, const array& pipeline,
                                  const document& options = {});
  std::int64_t count(const char* collection, const document& filter);
  void insert(const char* collection, const std::vector<document>& documents);
  void update_one(const char* collection, const document& filter, const document& change,
                  const document& options = {});
  void bulk_upsert(const char* collection, const std::vector<update_statement>& statements);
  void delete_many(const char* collection, const document& filter);
  void find_and_modify(const char* collection, const document& filter, const document& change,
                       bool upsert = false);
  void run_on_admin(const document& command);

  /// Every command sent so far, including the driver's own (except handshakes and
  /// authentication, which drivers don't report).
  [[nodiscard]] const tally& sent() const noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::sim::demo
