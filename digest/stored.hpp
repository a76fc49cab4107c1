#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "digest/table.hpp"
#include "text/problem.hpp"

/// A digest written as text and read back: what is stored, and handed from one program to
/// another. Adding a table that was read is the same as adding the one that was written. JSON,
/// an object a line (docs/report.md, "A digest as it is stored"):
///
///     {"type":"scattergate.digest","schemaVersion":1}
///     {"database":"shop","collection":"orders","command":"find","shapeHash":"b555...",...}
///     {"totals":{"commands":966,...},"countErrorBound":3}
///     {"end":true,"rows":1,"crc32c":"11892912"}
///
/// The last line tells how many rows there are, and the checksum of all bytes before it: a text
/// that was cut or spoilt is noticed. What stands behind it under a head of another type isn't
/// the digest's (telemetry/history/history_text.hpp).
namespace scattergate::digest {

/// Raised where an older program would misread what is written.
inline constexpr std::uint64_t stored_schema_version = 1;

/// Whether a text that begins so is meant as a stored digest.
[[nodiscard]] bool is_stored(std::string_view begins) noexcept;

/// Texts are never longer, in bytes.
inline constexpr std::size_t max_stored_bytes = 64UL << 20;

/// The dearest rows first. Those that would make the text longer than `max_bytes` are left out,
/// and counted with those evicted before.
[[nodiscard]] std::string stored_text(const table& of,
                                      std::size_t max_bytes = max_stored_bytes);

/// Reads a stored digest line by line, from anybody: whatever it holds, memory is bounded by
/// the rows that are kept.
class stored_reader {
 public:
  explicit stored_reader(std::size_t max_rows) : rows_(max_rows) {}

  /// Takes the next line, without its end. Where one is wrong nothing further is taken: the
  /// problem, at the line, is that of every later call.
  [[nodiscard]] text::result<void> take(std::string_view line);

  /// Whether that was all of it, as it was written.
  [[nodiscard]] text::result<void> finish();

  /// What has been read: all of it after finish(), else rows and what they add up to.
  [[nodiscard]] const table& rows() const noexcept { return rows_; }
  [[nodiscard]] table& rows() noexcept { return rows_; }

 private:
  enum class part : std::uint8_t { head, rows, end, behind, elsewhere };

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
  std::optional<text::problem> end_;  // what is wrong
};

/// The same of a text that is there already.
struct stored_digest {
  table rows;                        ///< those before what is wrong
  std::optional<text::problem> end;  ///< what is wrong
};
[[nodiscard]] stored_digest read_stored(std::string_view text, std::size_t max_rows);

}  // namespace scattergate::digest
