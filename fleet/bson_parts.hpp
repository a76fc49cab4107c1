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

/// Writes and reads fields of the fleet's documents. Reading a missing or invalid field returns
/// the type's default.
namespace scattergate::fleet {

/// Appends a BSON date; rounds down to milliseconds.
void append_date(wire::bson_writer& to, std::string_view name, digest::wall_time at);

/// Appends `$currentDate: {name: true}` to an update: the server sets the field to its own
/// time.
void append_server_time(wire::bson_writer& to, std::string_view name);

/// Appends a text without loss: as a string, or as binary data if it isn't UTF-8.
void append_exact(wire::bson_writer& to, std::string_view name, std::string_view text);

/// A view of a complete BSON document. REQUIRES: `bytes` is one.
[[nodiscard]] wire::document_view view_of(const std::vector<std::byte>& bytes);

/// The text that append_exact() wrote; empty if there is none.
[[nodiscard]] std::string text_in(wire::document_view document, std::string_view name);
/// The texts in an array; empty if there is none.
[[nodiscard]] std::vector<std::string> texts_in(wire::document_view document,
                                                std::string_view name);
/// A number that isn't negative; 0 if it is, or if there is none.
[[nodiscard]] std::uint64_t number_in(wire::document_view document, std::string_view name);
/// A number; std::nullopt if there is none.
[[nodiscard]] std::optional<std::int64_t> signed_in(wire::document_view document,
                                                    std::string_view name);
/// A nested document; empty if there is none.
[[nodiscard]] wire::document_view document_in(wire::document_view document,
                                              std::string_view name);
/// A date; std::nullopt if there is none.
[[nodiscard]] std::optional<digest::wall_time> date_in(wire::document_view document,
                                                       std::string_view name);

}  // namespace scattergate::fleet
