#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "wire/header.hpp"

namespace scattergate::wire {

/// Whether a message of this opCode, from before OP_MSG, finds or changes documents of a
/// collection that it names: OP_QUERY, OP_GET_MORE, OP_INSERT, OP_UPDATE, OP_DELETE.
[[nodiscard]] bool names_namespace(opcode op) noexcept;

/// The namespace that such a message names, "db.collection"; nothing where `start`, what is
/// there of it, doesn't hold all of the name.
/// REQUIRES: names_namespace() of its opCode.
[[nodiscard]] std::optional<std::string_view> legacy_namespace(
    std::span<const std::byte> start) noexcept;

}  // namespace scattergate::wire
