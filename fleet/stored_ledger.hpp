#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "digest/row.hpp"
#include "text/problem.hpp"

/// A sidecar's ledger tracks which of its counts the fleet's database has. It consists of the
/// number of the last acknowledged flush (a flush adds counts to the database), and the counts
/// that aren't flushed yet. A frozen delta is the part of these counts that the next flush
/// writes. In the state file, the ledger follows the digest (the table of shapes) and the
/// history.
///
///     {"type":"scattergate.fleet","schemaVersion":1,"uuid":"...","acknowledged":12,...}
///     a stored digest: the delta of flush 13, if one is frozen
///     a stored digest: the counts since that delta was frozen
///     {"end":true,"crc32c":"11892912"}
namespace scattergate::fleet {

/// The counts that one flush writes. The counts don't change until the database acknowledges
/// the flush.
struct frozen_delta {
  std::uint64_t number = 0;  ///< the flush's number, from 1
  std::string id;            ///< random; distinguishes deltas with the same number, which two
                             ///< copies of a state file may create
  std::uint32_t logical_shards = 1;  ///< fleet.logical_shards when the delta was frozen
  digest::wall_time at;          ///< when the delta was frozen, by the database server's clock
  digest::wall_time expires_at;  ///< when the delta expires, by the same clock: no flush may
                                 ///< begin later
  std::string rows;              ///< the counts, as a stored digest
  std::uint64_t commands = 0;    ///< the number of commands in `rows`

  friend bool operator==(const frozen_delta&, const frozen_delta&) = default;
};

/// The contents of a ledger.
struct stored_ledger {
  std::string uuid;                ///< identifies this sidecar in the database
  std::uint64_t acknowledged = 0;  ///< number of the last flush that the database acknowledged
  std::optional<frozen_delta> frozen;  ///< the counts to flush next; empty: none frozen
  std::string rest;  ///< the counts in no delta yet, as a stored digest; empty: no counts
  digest::wall_time rest_at{};  ///< when `rest` was stored, by the database server's clock;
                                ///< zero: unknown

  friend bool operator==(const stored_ledger&, const stored_ledger&) = default;
};

/// The text with which a stored ledger starts.
inline constexpr std::string_view stored_ledger_begins = R"({"type":"scattergate.fleet",)";

/// The maximum size of a ledger's text, in bytes.
inline constexpr std::size_t max_ledger_bytes = (std::size_t{2} * 64 << 20) + 8192;

/// Formats a ledger for the state file.
[[nodiscard]] std::string stored_text(const stored_ledger& of);

/// Parses a ledger. Returns a problem if the text is invalid or continues after the ledger.
[[nodiscard]] text::result<stored_ledger> read_stored_ledger(std::string_view text);

/// Generates a random UUID, version 4, as text.
[[nodiscard]] std::string random_uuid();
/// Generates 16 random hexadecimal digits.
[[nodiscard]] std::string random_id();

}  // namespace scattergate::fleet
