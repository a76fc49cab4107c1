#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "digest/sketch/sketch_table.hpp"
#include "text/problem.hpp"

/// Sketches written as text and read back: they stand behind a stored digest
/// (digest/stored.hpp), whose readers leave them alone. JSON, an object a line (docs/report.md,
/// "A digest as it is stored"):
///
///     {"type":"scattergate.sketches","schemaVersion":1,"salt":"0011223344556677"}
///     {"database":"shop","collection":"orders","requests":966,...,"fields":[...],"pairs":[...]}
///     {"end":true,"collections":1,"leftOut":0,"crc32c":"11892912"}
namespace scattergate::digest {

/// Raised where an older program would misread what is written.
inline constexpr std::uint64_t sketches_schema_version = 1;

/// How they begin.
inline constexpr std::string_view stored_sketches_begin = R"({"type":"scattergate.sketches",)";

/// Texts are never longer, in bytes; nor is one line.
inline constexpr std::size_t max_sketches_bytes = 24UL << 20;
inline constexpr std::size_t max_sketch_line_bytes = 128UL << 10;

/// The collections with the most requests first. Those that would make the text longer than
/// `max_bytes` count as left out. Empty where there is nothing to tell.
[[nodiscard]] std::string stored_sketches(const sketch_table& of,
                                          std::size_t max_bytes = max_sketches_bytes);

/// Reads stored sketches line by line, from anybody, out of a text that may have other parts
/// before and behind them.
class sketches_reader {
 public:
  /// Takes the next line, without its end; lines of other parts are passed over.
  void take(std::string_view line);

  /// What has been read: all of it, or a problem: there is an end missing, a line is wrong, or
  /// a newer version has written it. Empty where there were none.
  [[nodiscard]] text::result<sketch_table> finish();

 private:
  enum class part : std::uint8_t { before, collections, behind };

  template <typename Read>
  void read_members(std::string_view line, const Read& read);
  void take_head(std::string_view line);
  void take_collection(std::string_view line);
  void take_end(std::string_view line);
  void fail(std::string what) {
    if (!problem_) problem_.emplace("", std::move(what));
  }

  sketch_table read_;
  part next_ = part::before;
  std::uint32_t checksum_ = 0;
  std::uint64_t bytes_ = 0;
  std::optional<text::problem> problem_;
};

/// The same of a text that is there already.
[[nodiscard]] text::result<sketch_table> read_stored_sketches(std::string_view text);

}  // namespace scattergate::digest
