#pragma once

#include <functional>
#include <optional>
#include <string>

#include "digest/sketches/sketch_set.hpp"
#include "report/sources/input.hpp"
#include "report/sources/observation.hpp"

namespace scattergate::report {

/// The maximum number of rows that are read from a stored digest, which has a row per shape of
/// commands. Beyond it, the rows with the fewest commands are evicted.
inline constexpr std::size_t max_stored_rows = 20'000;

/// Reads one input of any source_kind completely, for example a log or a capture.
class source {
 public:
  using progress = std::function<bool(const input&)>;

  /// `from` must outlive this object. `as`: the kind; std::nullopt: detected by content.
  source(input& from, std::optional<source_kind> as);

  /// Reads the input and passes everything to `to`. Calls `on_progress` regularly, and stops
  /// if it returns false.
  void read(observer& to, const progress& on_progress);

  /// The kind, once read() has returned; unknown if nothing readable decided it.
  [[nodiscard]] source_kind kind() const noexcept { return kind_; }

  /// The sketches (statistics of key values) of a stored digest; std::nullopt if the input has
  /// none, or they can't be read.
  [[nodiscard]] std::optional<digest::sketch_set>& sketches() noexcept { return sketches_; }

  /// Why reading ended, once read() has returned. input::problem() may have a further reason.
  [[nodiscard]] const read_end& end() const noexcept { return end_; }

 private:
  input& input_;
  std::optional<source_kind> as_;
  using message_reader = read_end (*)(input&, observer&, const progress&);
  void read_messages(message_reader reader, observer& to, const progress& on_progress);
  void read_bson(observer& to, const progress& on_progress);
  void read_json(observer& to, const progress& on_progress);
  void read_lines(observer& to, const progress& on_progress);
  void finish(class document_reader& reader);
  void read_stored(observer& to, const progress& on_progress);

  void keep_sketches(const std::string& text);

  source_kind kind_ = source_kind::unknown;
  std::optional<digest::sketch_set> sketches_;
  read_end end_;
};

}  // namespace scattergate::report
