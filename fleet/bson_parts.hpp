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

/// The names in the fleet's database, in which many sidecars (scattergate daemons) add up their
/// counts (docs/fleet.md).

namespace scattergate::fleet {

/// The value of the field schemaVersion in every document. Increase it when older versions of
/// scattergate would misread the documents.
inline constexpr std::int32_t schema_version = 1;

namespace collections {
inline constexpr std::string_view shapes = "shapes";    ///< counts by query shape; one document
                                                        ///< per shape and logical shard
inline constexpr std::string_view callers = "callers";  ///< the senders of each shape, by
                                                        ///< sidecar
/// One document per sidecar: its facts, and its last flush (adding counts to the database).
inline constexpr std::string_view sidecars = "sidecars";
inline constexpr std::string_view leases = "leases";  ///< the holder of each sidecar name
inline constexpr std::string_view locks = "locks";    ///< the progress of each flush that
                                                      ///< uses transactions
}  // namespace collections

/// The shape name of the documents that count commands without a row in a sidecar's digest
/// (table of shapes): the rows were evicted, or there was no memory for them.
inline constexpr std::string_view rowless_shape = "-";

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
