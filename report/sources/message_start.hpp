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

/// Whether `bytes` begin a message of MongoDB's wire protocol. Checks the header, the flags,
/// the first section's kind, the first document's length and first field, and the collection
/// name. `yes` for other data is very improbable. Messages of drivers, mongos and mongod never
/// give `no`.
[[nodiscard]] message_start begins_message(std::span<const std::byte> bytes) noexcept;

}  // namespace scattergate::report
