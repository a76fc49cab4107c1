#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/system/result.hpp>

#include "wire/bson.hpp"

namespace scattergate::config {

/// The kinds of failure of a call to a mongos.
enum class mongo_failure : std::uint8_t {
  bad_uri,         ///< the connection string is invalid
  unreachable,     ///< no answer, or the connection broke
  unauthorized,    ///< wrong credentials, or missing privileges
  not_mongos,      ///< the server isn't a mongos
  command_failed,  ///< any other error from the server
};

/// A failed call to a mongos. The text is for people and contains no password.
struct mongo_error {
  mongo_failure kind = mongo_failure::command_failed;
  std::int32_t code = 0;  ///< the server's error code; 0 if the error isn't the server's
  std::string text;       ///< the error message
  /// The whole transaction failed, and the caller may repeat it from its beginning.
  bool is_transient = false;
  /// It is unknown whether the commit succeeded; the caller may repeat the commit.
  bool is_outcome_unknown = false;
};

template <typename Value>
using mongo_result = boost::system::result<Value, mongo_error>;

/// Throws std::runtime_error with the error's text. mongo_result::value() calls this function
/// if there is no value.
[[noreturn]] void throw_exception_from_error(const mongo_error& error,
                                             const boost::source_location& caller);

/// The server that answered the handshake.
struct mongo_server {
  bool is_mongos = false;  ///< whether the server is a mongos
  std::string type;        ///< libmongoc's name for the kind of server: "Mongos", "RSPrimary",
                           ///< "Standalone", ...
  std::string address;     ///< host:port
  std::int64_t max_wire_version = 0;  ///< maxWireVersion in the server's hello reply
};

/// An interface to run commands and queries on a mongos: mongo_client, or a substitute in
/// tests. Thread-safety: one call at a time.
class mongo_reader {
 public:
  /// Receives one document, which is valid during the call. Returns false to stop the query.
  using document_sink = std::function<bool(wire::document_view)>;

  mongo_reader() = default;
  mongo_reader(const mongo_reader&) = delete;
  mongo_reader& operator=(const mongo_reader&) = delete;
  virtual ~mongo_reader() = default;

  /// Connects unless already connected. Returns facts about the server.
  [[nodiscard]] virtual mongo_result<mongo_server> connect() = 0;

  /// Runs a command and returns the reply, as BSON. A reply that isn't ok is an error.
  [[nodiscard]] virtual mongo_result<std::vector<std::byte>> run(
      std::string_view database, wire::document_view command) = 0;

  /// Runs a find and passes the documents to `sink`, batch by batch. `options`: other arguments
  /// of the command find, such as projection, sort and batchSize. May fail after some
  /// documents.
  [[nodiscard]] virtual mongo_result<void> find(std::string_view database,
                                                std::string_view collection,
                                                wire::document_view filter,
                                                wire::document_view options,
                                                const document_sink& sink) = 0;

  /// Runs listCollections on a database and passes each entry to `sink`. `options`: arguments
  /// of the command, such as filter. May fail after some entries.
  [[nodiscard]] virtual mongo_result<void> list_collections(std::string_view database,
                                                            wire::document_view options,
                                                            const document_sink& sink) = 0;
};

}  // namespace scattergate::config
