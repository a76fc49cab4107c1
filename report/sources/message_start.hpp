#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::report {

/// The result of begins_message().
enum class message_start : std::uint8_t {
  no,
  maybe,  ///< too few bytes to decide
  yes,
};

/// Whether these bytes begin a message of MongoDB's wire protocol. Checks the header and what
/// follows: flags, kind of the first section, length and first field of the first document,
/// collection name. Other bytes pass with negligible probability; messages of drivers, mongos
/// and mongod always pass.
[[nodiscard]] message_start begins_message(std::span<const std::byte> bytes) noexcept;

}  // namespace scattergate::report
