#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scattergate::report {

/// What bytes in the middle of a stream look like.
enum class message_start : std::uint8_t {
  no,
  maybe,  ///< too few bytes to say
  yes,
};

/// Whether a message of MongoDB's wire protocol begins with these bytes. Checks the header and
/// what follows it: flags, the kind of the first section, the length and the first field of the
/// first document, the name of a collection. Other bytes pass with a negligible probability;
/// every message that a driver, mongos or mongod sends passes.
[[nodiscard]] message_start begins_message(std::span<const std::byte> bytes) noexcept;

}  // namespace scattergate::report
