#pragma once

#include <cstddef>
#include <cstdint>

/// The bounds of every loop over received bytes.
namespace scattergate::wire::limits {

/// messageLength, requestID, responseTo, opCode: four little-endian int32.
inline constexpr std::size_t header_bytes = 16;

/// The header and the flagBits of an OP_MSG. The flagBits say whether a reply will follow.
inline constexpr std::size_t op_msg_head_bytes = header_bytes + sizeof(std::uint32_t);

/// The largest message mongos accepts (maxMessageSizeBytes of its hello).
inline constexpr std::size_t max_message_bytes = 48'000'000;

/// How many bytes an OP_COMPRESSED may claim per byte of its payload: zlib's maximum (1032),
/// and more than snappy's. zstd could make 48 MB of a few bytes.
inline constexpr std::size_t max_compression_ratio = 1100;

/// The size of the smallest BSON document: its length and its closing NUL.
inline constexpr std::size_t min_document_bytes = 5;

/// The largest document inside a message: 16 MiB, and 16 KiB for internal fields (mongod:
/// BSONObjMaxInternalSize).
inline constexpr std::size_t max_document_bytes = std::size_t{16 * 1024 + 16} * 1024;

/// The size that an OP_COMPRESSED may claim whatever its payload's size: one document of any
/// size.
inline constexpr std::size_t unsuspicious_bytes = max_document_bytes;

/// How deep a document may nest before it counts as unjudgeable: mongos's own limit (mongo:
/// bson/bson_depth.h), so that every document that mongos accepts can be read.
inline constexpr std::uint32_t inspect_depth = 200;

/// How many fields and array members of one command are inspected before it counts as
/// unjudgeable. 48 MB of three-byte elements would be sixteen million.
inline constexpr std::uint32_t inspect_nodes = 2'000'000;

/// The work allowed for one message (work_budget), in units of about a nanosecond: a minimum,
/// an amount per byte, and a maximum. 100,000 updates, or 100,000 hashed values of one $in,
/// take some twenty milliseconds.
inline constexpr std::int64_t least_work = 1'000'000;
inline constexpr std::int64_t work_per_byte = 20;
inline constexpr std::int64_t most_work = 28'000'000;

/// The most statements in a batch: mongos refuses more (maxWriteBatchSize of its hello).
inline constexpr std::size_t max_batch_statements = 100'000;

/// How many decompressed bytes a compressed byte pays for.
inline constexpr std::size_t work_unpacking = 32;

/// How many top-level fields and document sequences one command may have. MongoDB's largest
/// commands have some fifty.
inline constexpr std::size_t command_fields = 128;

/// The longest name of a command's field that is inspected; MongoDB's stay below forty.
inline constexpr std::size_t command_field_name_bytes = 64;

/// The longest "database.collection", dot included (mongod: 255 bytes).
inline constexpr std::size_t max_namespace_bytes = 255;

/// How many bytes of a `comment` are kept.
inline constexpr std::size_t max_comment_bytes = 256;

}  // namespace scattergate::wire::limits
