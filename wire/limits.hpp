#pragma once

#include <cstddef>
#include <cstdint>

/// Limits on received messages, so that every loop over received bytes is bounded.
namespace scattergate::wire::limits {

/// The size of a message header, in bytes: messageLength, requestID, responseTo and opCode,
/// little-endian int32 each.
inline constexpr std::size_t header_bytes = 16;

/// The size of an OP_MSG's header and flagBits, in bytes. These bytes show whether a reply
/// follows.
inline constexpr std::size_t op_msg_head_bytes = header_bytes + sizeof(std::uint32_t);

/// The largest message that mongos accepts, in bytes (maxMessageSizeBytes in its hello).
inline constexpr std::size_t max_message_bytes = 48'000'000;

/// The maximum number of decompressed bytes that an OP_COMPRESSED may claim per byte of its
/// payload. zlib (at most 1032) and snappy can't exceed it; zstd can make 48 MB from a few
/// bytes.
inline constexpr std::size_t max_compression_ratio = 1100;

/// The size of the smallest BSON document, in bytes: its length and its closing NUL.
inline constexpr std::size_t min_document_bytes = 5;

/// The largest document in a message, in bytes: 16 MiB plus 16 KiB for internal fields (mongod:
/// BSONObjMaxInternalSize).
inline constexpr std::size_t max_document_bytes = std::size_t{16 * 1024 + 16} * 1024;

/// The decompressed size, in bytes, up to which max_compression_ratio isn't checked. Enough
/// for one document of any size.
inline constexpr std::size_t unpack_bytes_without_ratio_check = max_document_bytes;

/// The nesting depth beyond which a document isn't judged. This is mongos's own limit (mongo:
/// bson/bson_depth.h), so every document that mongos accepts can be read.
inline constexpr std::uint32_t inspect_depth = 200;

/// The number of fields and array items beyond which a command isn't judged. A message of 48 MB
/// could have 24 million, of two bytes each (a null with an empty name).
inline constexpr std::uint32_t inspect_nodes = 2'000'000;

/// The minimum work budget of a message (the CPU time for judging it; see work_budget), in
/// units of about a nanosecond.
inline constexpr std::int64_t least_work = 1'000'000;
/// The work budget per byte of a message, in units of about a nanosecond.
inline constexpr std::int64_t work_per_byte = 20;
/// The maximum work budget of a message, in units of about a nanosecond. 100,000 updates, or
/// 100,000 hashed values in one $in, take about 20 ms.
inline constexpr std::int64_t most_work = 28'000'000;

/// The maximum number of statements in a batch: mongos rejects more (maxWriteBatchSize in its
/// hello).
inline constexpr std::size_t max_batch_statements = 100'000;

/// The work budget of a compressed message grows with its decompressed size, but only up to
/// this many decompressed bytes per compressed byte.
inline constexpr std::size_t budgeted_unpack_ratio = 32;

/// The maximum number of top-level fields and document sequences of a command. MongoDB's
/// largest commands have about fifty.
inline constexpr std::size_t command_fields = 128;

/// The longest name of a command's top-level field that is inspected, in bytes. MongoDB's own
/// names have fewer than forty.
inline constexpr std::size_t command_field_name_bytes = 64;

/// The longest "database.collection", including the dot, in bytes (mongod's limit).
inline constexpr std::size_t max_namespace_bytes = 255;

/// The maximum size of a command's comment that is kept, in bytes. The rest is cut off.
inline constexpr std::size_t max_comment_bytes = 256;

}  // namespace scattergate::wire::limits
