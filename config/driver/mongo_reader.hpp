#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/system/result.hpp>

#include "wire/bson.hpp"

namespace scattergate::config {

/// What kind of thing went wrong between us and a mongos.
enum class mongo_failure : std::uint8_t {
  bad_uri,         ///< the connection string can't be read
  unreachable,     ///< nobody answers, or the connection broke
  unauthorized,    ///< wrong credentials, or not allowed to do this
  not_mongos,      ///< what answers is no mongos
  command_failed,  ///< any other error that the server replied
};

/// Why a call to a mongos failed. The text is for people and holds no password.
struct mongo_error {
  mongo_failure kind = mongo_failure::command_failed;
  std::int32_t code = 0;  ///< the server's error code; 0: none of its
  std::string text;
};

template <typename Value>
using mongo_result = boost::system::result<Value, mongo_error>;

/// For result::value(), where a caller takes failure for impossible.
[[noreturn]] void throw_exception_from_error(const mongo_error& error,
                                             const boost::source_location& where);

/// What answered the handshake.
struct mongo_server {
  bool is_mongos = false;
  std::string type;     ///< libmongoc's word: "Mongos", "RSPrimary", "Standalone", ...
  std::string address;  ///< host:port
  std::int64_t max_wire_version = 0;
};

/// One command or one query at a time, on a mongos or on what stands for one in a test.
class mongo_reader {
 public:
  /// Takes one document, valid during the call; false: no more are wanted.
  using document_sink = std::function<bool(wire::document_view)>;

  mongo_reader() = default;
  mongo_reader(const mongo_reader&) = delete;
  mongo_reader& operator=(const mongo_reader&) = delete;
  virtual ~mongo_reader() = default;

  /// Connects where that is still to be done.
  [[nodiscard]] virtual mongo_result<mongo_server> connect() = 0;

  /// Runs a command; its reply. A reply that isn't ok is an error.
  [[nodiscard]] virtual mongo_result<std::vector<std::byte>> run(
      std::string_view database, wire::document_view command) = 0;

  /// Reads what a find gives, batch by batch. `options` are those of the find command:
  /// projection, sort, batchSize, ... An error may come after some documents.
  [[nodiscard]] virtual mongo_result<void> find(std::string_view database,
                                                std::string_view collection,
                                                wire::document_view filter,
                                                wire::document_view options,
                                                const document_sink& sink) = 0;

  /// Reads what listCollections tells of a database. `options` are those of the command:
  /// filter.
  [[nodiscard]] virtual mongo_result<void> list_collections(std::string_view database,
                                                            wire::document_view options,
                                                            const document_sink& sink) = 0;
};

}  // namespace scattergate::config
