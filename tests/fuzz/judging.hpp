#pragma once

#include <memory>

#include "routing/catalog/catalog.hpp"
#include "routing/verdict.hpp"
#include "tests/fuzz/require.hpp"
#include "wire/command.hpp"

/// Shared by the fuzz targets that judge commands, that is, predict which shards mongos asks.
namespace scattergate::fuzz {

/// Aborts the program if the condition is false; the fuzzer then reports the input.
/// Makes a catalog for the database `db`. Sharded collections with two chunks, split at zero,
/// on the shards "0" and "1":
///   a {a: 1}; b {a: "hashed", b: 1}; c {"a.b": 1, _id: 1};
///   d {a: 1, b: "hashed"}, with a default collation; t, a time series with known fields.
/// Without chunks: e {a: 1, b: 1, c: 1}; m, a time series with unknown fields. Others: s,
/// which isn't sharded; v, a view on a; w, a view on v.
[[nodiscard]] std::shared_ptr<const routing::catalog> make_catalog(
    routing::server_version version);

/// Judges a command by the rules of MongoDB 6.0 and of 8.0. Aborts the program if one of these
/// properties doesn't hold:
/// - verdicts are consistent and repeatable;
/// - with a small work budget, or only `little_bytes` of scratch memory, a verdict may name
///   more shards or be unknown, but must say so (widened, abandoned);
/// - the work is linear in the command's size.
void check_judgement(const wire::command& command, std::size_t little_bytes);

}  // namespace scattergate::fuzz
