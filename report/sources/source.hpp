#pragma once

#include <functional>
#include <optional>

#include "report/sources/input.hpp"
#include "report/sources/observation.hpp"
#include "report/sources/read_end.hpp"

namespace scattergate::report {

/// Rows of a stored digest: beyond it those with the fewest commands make room.
inline constexpr std::size_t max_stored_rows = 20'000;

/// Reads one input to its end, a capture, documents or lines, each told apart by its content
/// unless `as` says what they are; tells what it finds. `on_progress` is called now and then,
/// and ends the reading where it says false.
class source {
 public:
  using progress = std::function<bool(const input&)>;

  source(input& from, std::optional<source_kind> as);

  void read(observer& to, const progress& on_progress);

  /// What it was, by the lines that could be read; unknown where there was none.
  [[nodiscard]] source_kind kind() const noexcept { return kind_; }

  /// How the reading ended, beside what the input says of itself.
  [[nodiscard]] const read_end& end() const noexcept { return end_; }

 private:
  input& input_;
  std::optional<source_kind> as_;
  using message_reader = read_end (*)(input&, observer&, const progress&);
  void read_messages(message_reader by, observer& to, const progress& on_progress);
  void read_bson(observer& to, const progress& on_progress);
  void read_json(observer& to, const progress& on_progress);
  void read_lines(observer& to, const progress& on_progress);
  void finish(class told_documents& told);
  void read_stored(observer& to, const progress& on_progress);

  source_kind kind_ = source_kind::unknown;
  read_end end_;
};

}  // namespace scattergate::report
