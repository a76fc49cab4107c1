#pragma once

#include <cstddef>
#include <cstdint>

/// Every bound that a loop over received bytes relies on.
namespace scattergate::wire::limits {

/// messageLength, requestID, responseTo, opCode: four little-endian int32.
inline constexpr std::size_t header_bytes = 16;

/// The header and the flagBits of an OP_MSG: what tells whether it will be answered.
inline constexpr std::size_t op_msg_head_bytes = header_bytes + sizeof(std::uint32_t);

/// The largest message mongos accepts (maxMessageSizeBytes of its hello).
inline constexpr std::size_t max_message_bytes = 48'000'000;

/// An OP_COMPRESSED may claim up to this much per byte of its payload: what zlib can do at most
/// (1032), and more than snappy can. zstd could make 48 MB of a few bytes.
inline constexpr std::size_t max_compression_ratio = 1100;

/// The smallest BSON document: its length and its closing NUL.
inline constexpr std::size_t min_document_bytes = 5;

/// The largest document inside a message: 16 MiB and the 16 KiB that internal fields may add
/// (mongod: BSONObjMaxInternalSize).
inline constexpr std::size_t max_document_bytes = std::size_t{16 * 1024 + 16} * 1024;

/// What an OP_COMPRESSED may claim whatever the size of its payload: one document of any size.
inline constexpr std::size_t unsuspicious_bytes = max_document_bytes;

/// How deep we read into a document before calling it unjudgeable: as deep as mongos does
/// (mongo: bson/bson_depth.h), so that nothing is beyond our reading that isn't beyond its.
inline constexpr std::uint32_t inspect_depth = 200;

/// How many fields and array members of one command we look at before calling it
/// unjudgeable. 48 MB of three-byte elements would be sixteen million.
inline constexpr std::uint32_t inspect_nodes = 2'000'000;

/// What may be done for one message (work_budget), in units of about a nanosecond: this much
/// for any, so much for each of its bytes, and no more than that for the largest. 100,000
/// updates, or 100,000 hashed values of one $in, take some twenty milliseconds.
inline constexpr std::int64_t least_work = 1'000'000;
inline constexpr std::int64_t work_per_byte = 20;
inline constexpr std::int64_t most_work = 28'000'000;

/// Statements of a batch: mongos refuses one with more (maxWriteBatchSize of its hello).
inline constexpr std::size_t max_batch_statements = 100'000;

/// A byte that came compressed pays for this many unpacked ones.
inline constexpr std::size_t work_unpacking = 32;

/// How many top-level fields and document sequences one command may have. The richest of
/// MongoDB's have some fifty.
inline constexpr std::size_t command_fields = 128;

/// The longest name of a command's field that is looked at; MongoDB's stay below forty.
inline constexpr std::size_t command_field_name_bytes = 64;

/// A database name and a collection name together, dot included (mongod: 255 bytes).
inline constexpr std::size_t max_namespace_bytes = 255;

/// The part of a `comment` that we keep, in bytes.
inline constexpr std::size_t max_comment_bytes = 256;

}  // namespace scattergate::wire::limits
