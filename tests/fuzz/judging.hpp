#pragma once

#include <cstdlib>
#include <memory>

#include "routing/catalog/catalog.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

/// Shared by the fuzz targets that judge commands.
namespace scattergate::fuzz {

/// Ends the program, which is how a fuzzer hears of it.
inline void require(bool condition) {
  if (!condition) std::abort();
}

/// The collections of the database `db`, each in the chunks below and above zero, on the shards
/// "0" and "1":
///   a {a: 1}; b {a: "hashed", b: 1}; c {"a.b": 1, _id: 1};
///   d {a: 1, b: "hashed"}, unique and with a collation; e {a: 1, b: 1, c: 1}, without chunks
/// m and t, which are time series (of t the fields are known), s, which isn't sharded, v, a
/// view on a, and w, one on v.
[[nodiscard]] std::shared_ptr<const routing::catalog> make_catalog(
    routing::server_version version);

/// Judges the command as a mongos of 6.0 and one of 8.0 would and checks what must be so for
/// any command: the verdicts are consistent and the same the second time, and with
/// `little_bytes` of scratch, or with little work, only ever wider, and not without saying so;
/// and the work that they take is linear in the command's size.
void check_judgement(const wire::command& command, std::size_t little_bytes);

}  // namespace scattergate::fuzz
