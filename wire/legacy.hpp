#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "wire/header.hpp"

namespace scattergate::wire {

/// Whether messages of this opCode, older than OP_MSG, read or change documents of a collection
/// that they name: OP_QUERY, OP_GET_MORE, OP_INSERT, OP_UPDATE, OP_DELETE.
[[nodiscard]] bool names_namespace(opcode op) noexcept;

/// The namespace of a legacy message, "db.collection"; std::nullopt if `start`, the beginning
/// of the message, doesn't hold the whole name. REQUIRES: names_namespace() for its opCode.
[[nodiscard]] std::optional<std::string_view> legacy_namespace(
    std::span<const std::byte> start) noexcept;

}  // namespace scattergate::wire
