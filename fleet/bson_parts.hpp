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

/// Helpers that write and read fields of the fleet's documents.
namespace scattergate::fleet {

/// Appends the field `name` with a BSON date; rounds `at` down to milliseconds.
void append_date(wire::bson_writer& to, std::string_view name, digest::wall_time at);

/// Appends `$currentDate: {name: true}` to an update: the server sets the field to its own
/// time.
void append_server_time(wire::bson_writer& to, std::string_view name);

/// Appends the field `name` with a text, without loss: as a BSON string, or as BSON binary
/// data if `text` isn't UTF-8.
void append_exact(wire::bson_writer& to, std::string_view name, std::string_view text);

/// Views `bytes` as a BSON document, without copying. REQUIRES: `bytes` is a complete document
/// and outlives the view.
[[nodiscard]] wire::document_view view_of(const std::vector<std::byte>& bytes);

/// Reads a field written by append_exact(); empty if the field is missing or has another type.
[[nodiscard]] std::string text_in(wire::document_view document, std::string_view name);
/// Reads a field written by append_exact(), but cuts a text of more than 1,000 bytes, and
/// marks the cut with dots. For the texts that sidecars (scattergate daemons) write about
/// themselves. Empty if the field is missing or has another type.
[[nodiscard]] std::string short_text_in(wire::document_view document, std::string_view name);
/// Reads an array whose members append_exact() wrote; a member of another type becomes an
/// empty text. Returns no texts if the field is missing or isn't an array.
[[nodiscard]] std::vector<std::string> texts_in(wire::document_view document,
                                                std::string_view name);
/// Reads a non-negative number; 0 if the field is negative, missing or not a number.
[[nodiscard]] std::uint64_t number_in(wire::document_view document, std::string_view name);
/// Reads a number; std::nullopt if the field is missing or not a number.
[[nodiscard]] std::optional<std::int64_t> signed_in(wire::document_view document,
                                                    std::string_view name);
/// Reads a nested document as a view into `document`; empty if the field is missing or not a
/// document.
[[nodiscard]] wire::document_view document_in(wire::document_view document,
                                              std::string_view name);
/// Reads a BSON date; std::nullopt if the field is missing, not a date, or more than about 127
/// years before or after 1970.
[[nodiscard]] std::optional<digest::wall_time> date_in(wire::document_view document,
                                                       std::string_view name);

}  // namespace scattergate::fleet
