#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace scattergate::config {

/// The texts that count when two globs are compared.
enum class texts : unsigned char {
  any,         ///< all texts
  with_a_dot,  ///< texts with a dot: "database.collection"
};

/// Limits the work of comparing globs, which can take exponential time. Use one object for all
/// comparisons that share the limit. Thread-safety: one thread at a time.
class glob_budget {
 public:
  /// Takes one unit of work. Returns false if none is left.
  [[nodiscard]] bool spend() noexcept { return left_ != 0 && left_-- != 0; }

 private:
  std::size_t left_ = 2'000'000;
};

/// Whether the glob `wide` matches every text of the kind `of` that the glob `narrow` matches;
/// std::nullopt if the budget ran out.
[[nodiscard]] std::optional<bool> covers(std::string_view wide, std::string_view narrow,
                                         texts of, glob_budget& budget);

/// Whether some text of the kind `of` matches both globs; std::nullopt if the budget ran out.
[[nodiscard]] std::optional<bool> meet(std::string_view one, std::string_view other, texts of,
                                       glob_budget& budget);

}  // namespace scattergate::config
