#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "wire/header.hpp"

namespace scattergate::wire {

/// Whether messages with this opCode contain a namespace: true for OP_QUERY, OP_GET_MORE,
/// OP_INSERT, OP_UPDATE and OP_DELETE.
[[nodiscard]] bool names_namespace(opcode op) noexcept;

/// The namespace "db.collection" in a legacy message; std::nullopt if `start`, the beginning of
/// the message, doesn't contain the whole namespace. A view into `start`. REQUIRES:
/// names_namespace() is true for the message's opCode.
[[nodiscard]] std::optional<std::string_view> legacy_namespace(
    std::span<const std::byte> start) noexcept;

}  // namespace scattergate::wire
