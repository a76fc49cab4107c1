#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/driver/mongo_reader.hpp"

/// The messages between a mongo_client and its driver process. A message is two BSON documents:
/// an envelope, which says what the message is, and a payload, such as a command or its reply.
/// Each document begins with its length, so a stream of messages needs no other framing.
namespace scattergate::config {

/// The maximum size of an envelope, in bytes. Only a connection string or an error text is
/// long.
inline constexpr std::size_t max_envelope_bytes = std::size_t{256} * 1024;

/// The calls that a driver process carries out.
enum class driver_call : std::uint8_t {
  open,                ///< create the client; the first call
  connect,             ///< find a server
  run,                 ///< run a command
  begin_transaction,   ///< the reply's payload is the session's id
  run_in_transaction,  ///< run a write command in the open transaction
  commit_transaction,
  abort_transaction,
};

/// The envelope of a request to a driver process.
struct driver_request {
  driver_call what = driver_call::open;
  std::string database{};     ///< for run and run_in_transaction
  std::string uri{};          ///< for open: the connection string
  std::string application{};  ///< for open: the appName for the server's log
  /// For open: the maximum time to find a server, and for each reply, in milliseconds; 0: only
  /// the limits of the connection string.
  std::int32_t wait_limit_ms = 0;
};

/// The envelope of a message from a driver process.
struct driver_reply {
  /// A message of libmongoc for the log, instead of a reply, which follows later.
  struct log_line {
    bool is_error = false;
    std::string text{};
  };
  std::optional<log_line> line{};
  std::optional<mongo_error> failed{};  ///< the call failed
  mongo_server server{};                ///< for connect
};

[[nodiscard]] std::vector<std::byte> encode(const driver_request& request);
[[nodiscard]] std::vector<std::byte> encode(const driver_reply& reply);

/// Reads an envelope; std::nullopt if it is malformed.
[[nodiscard]] std::optional<driver_request> decode_request(std::span<const std::byte> envelope);
/// Reads an envelope; std::nullopt if it is malformed. A driver process that a hostile server
/// controls can send any bytes.
[[nodiscard]] std::optional<driver_reply> decode_reply(std::span<const std::byte> envelope);

}  // namespace scattergate::config
