#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// A second reader of request messages, written from mongos's sources alone. It shares no code
/// with wire/, so that tests can compare both. It is slow and allocates.
namespace scattergate::fuzz {

/// The parts of a message as mongos reads them. All members are copies.
struct mongos_reading {
  std::string command;     ///< the name of the body's first field
  std::string database;    ///< `$db`
  std::string collection;  ///< the value of the body's first field if it is a string
  std::string body;        ///< the BSON of the kind-0 section
  std::string filter;      ///< the value of the body's first `filter` or `query`, with its type
};

/// Reads an OP_MSG, plain or compressed, as mongos does. std::nullopt if mongos rejects the
/// message, or if versions of mongos read it differently (sections of kind 2 and above,
/// duplicate fields). Rules: mongo: rpc/op_msg.cpp, bson/bson_validate.cpp,
/// transport/message_compressor_*.cpp, at v4.4 to v8.0.
[[nodiscard]] std::optional<mongos_reading> read_as_mongos(std::string_view message);

}  // namespace scattergate::fuzz
