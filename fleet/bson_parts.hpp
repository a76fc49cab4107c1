#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/row.hpp"
#include "wire/bson.hpp"
#include "wire/bson_writer.hpp"

/// What the fleet's documents are made of, and how it is read back. Whatever can't be read has
/// its type's default.
namespace scattergate::fleet {

void append_date(wire::bson_writer& to, std::string_view name, digest::wall_time at);

/// Appends to an update that the server sets the date `name` to its own time.
void append_server_time(wire::bson_writer& to, std::string_view name);

/// Appends a text exactly: as a string, or as binary data if it isn't UTF-8.
void append_exact(wire::bson_writer& to, std::string_view name, std::string_view text);

/// A finished document as a view. REQUIRES: `bytes` is one.
[[nodiscard]] wire::document_view view_of(const std::vector<std::byte>& bytes);

[[nodiscard]] std::string text_in(wire::document_view document, std::string_view name);
[[nodiscard]] std::vector<std::string> texts_in(wire::document_view document,
                                                std::string_view name);
/// Zero if it is negative.
[[nodiscard]] std::uint64_t number_in(wire::document_view document, std::string_view name);
[[nodiscard]] std::optional<std::int64_t> signed_in(wire::document_view document,
                                                    std::string_view name);
/// The empty document if there is none.
[[nodiscard]] wire::document_view document_in(wire::document_view document,
                                              std::string_view name);
[[nodiscard]] std::optional<digest::wall_time> date_in(wire::document_view document,
                                                       std::string_view name);

}  // namespace scattergate::fleet
