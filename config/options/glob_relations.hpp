#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace scattergate::config {

/// The texts that a question about globs ranges over.
enum class texts : unsigned char {
  any,
  with_a_dot,  ///< "database.collection"
};

/// The remaining work for questions about globs: an answer takes exponential time at worst.
/// Thread-safety: one thread at a time.
class glob_budget {
 public:
  [[nodiscard]] bool spend() noexcept { return left_ != 0 && left_-- != 0; }

 private:
  std::size_t left_ = 2'000'000;
};

/// Whether every text that `narrow` matches is matched by `wide`; std::nullopt if the budget
/// ran out.
[[nodiscard]] std::optional<bool> covers(std::string_view wide, std::string_view narrow,
                                         texts of, glob_budget& budget);

/// Whether some text matches both; std::nullopt if the budget ran out.
[[nodiscard]] std::optional<bool> meet(std::string_view one, std::string_view other, texts of,
                                       glob_budget& budget);

}  // namespace scattergate::config
