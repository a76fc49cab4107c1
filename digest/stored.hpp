#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "digest/table.hpp"
#include "text/problem.hpp"

/// The text format of a digest (the table of shapes), for the state file and for other
/// programs. It keeps everything that merging needs. JSON lines (docs/report.md, "A digest as
/// it is stored"):
///
///     {"type":"scattergate.digest","schemaVersion":1}
///     {"database":"shop","collection":"orders","command":"find","shapeHash":"b555...",...}
///     {"totals":{"commands":966,...},"countErrorBound":3}
///     {"end":true,"rows":1,"crc32c":"11892912"}
///
/// The last line has the number of rows and the checksum of all bytes before it, which detects
/// truncation and corruption. In the state file, sections of other types follow, for example
/// the history (telemetry/history/history_text.hpp).
namespace scattergate::digest {

/// The format's version. Raise it when older programs would misread the format.
inline constexpr std::uint64_t stored_schema_version = 1;

/// Whether a text with this beginning is a stored digest.
[[nodiscard]] bool is_stored(std::string_view begins) noexcept;

/// The size limit of a stored digest, in bytes.
inline constexpr std::size_t max_stored_bytes = 64UL << 20;

/// The size limit of a row's line, in bytes.
inline constexpr std::size_t max_stored_row_bytes = 128UL << 10;

/// Appends a row as one line, without a newline. Shortens a line that is longer than
/// max_stored_row_bytes: counts all callers as others, and if that isn't enough, omits the
/// description's texts. `actions`: the row's findings by action; null: the row's own counts.
void append_stored(std::string& to, const row& of, const action_counts* actions = nullptr);

/// Parses a row's line. Returns a problem if the line is invalid. Ignores unknown members.
[[nodiscard]] text::result<row> stored_row(std::string_view line);

/// Looks up a row's findings by action, for a source that counts them outside of the row. Null:
/// the row's own counts are used.
using actions_of_row = std::function<const action_counts*(const row&)>;

/// Formats a digest as text of at most `max_bytes` bytes, the most expensive rows first. Rows
/// that don't fit are omitted and counted as evicted. `actions`: looks up a row's findings by
/// action; empty: the rows' own counts are written.
[[nodiscard]] std::string stored_text(const table& of, std::size_t max_bytes = max_stored_bytes,
                                      const actions_of_row& actions = {});

/// Reads a stored digest line by line. The input may be untrusted: memory is bounded by the
/// number of kept rows.
class stored_reader {
 public:
  /// Keeps at most `max_rows` rows; evicts those with the smallest counts.
  explicit stored_reader(std::size_t max_rows) : rows_(max_rows) {}

  /// Reads the next line, passed without its newline. Returns a problem with the line's number
  /// if the line is invalid; all later calls then return the same problem. Ignores all lines of
  /// a section of another type that follows the digest.
  [[nodiscard]] text::result<void> read_line(std::string_view line);

  /// Call it after the last line. Returns a problem if a line was invalid, or if the digest is
  /// incomplete or corrupt.
  [[nodiscard]] text::result<void> finish();

  /// The digest. If finish() hasn't succeeded, it has only the rows read so far, and their
  /// sums.
  [[nodiscard]] const table& rows() const noexcept { return rows_; }
  /// The digest, for changing it or moving it away.
  [[nodiscard]] table& rows() noexcept { return rows_; }

 private:
  /// The kind of line that may come next. `after_end`: the digest has ended, so only another
  /// section may follow. `other_section`: lines of another section, which are ignored.
  enum class part : std::uint8_t { head, rows, end, after_end, other_section };

  text::result<void> take_next(std::string_view line);
  text::result<void> take_head(std::string_view line);
  text::result<void> take_row(std::string_view line);
  text::result<void> take_sums(std::string_view line);
  text::result<void> take_end(std::string_view line);
  text::result<void> ended_by(const text::problem& found);

  table rows_;
  part next_ = part::head;
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t rows_read_ = 0;
  std::uint32_t checksum_ = 0;
  std::optional<text::problem> end_;  // the first problem
};

/// The result of read_stored().
struct stored_digest {
  table rows;                        ///< all rows, or the rows before the problem
  std::optional<text::problem> end;  ///< the problem; empty: none
};
/// Parses a complete stored digest. Keeps at most `max_rows` rows; evicts those with the
/// smallest counts.
[[nodiscard]] stored_digest read_stored(std::string_view text, std::size_t max_rows);

}  // namespace scattergate::digest
