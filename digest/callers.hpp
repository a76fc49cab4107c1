#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace scattergate::digest {

/// Who sends a shape.
struct caller {
  std::string app_name, driver, user, remote, comment;
  std::uint64_t count = 0;

  [[nodiscard]] bool is_same(const caller& other) const noexcept;
};

/// The callers of a shape: at most so many apart, the rest as one number. Those that came first
/// are kept.
class callers {
 public:
  static constexpr std::size_t most = 16;

  void add(const caller& one);
  void add(const callers& others);
  void add_others(std::uint64_t count) noexcept { others_ += count; }

  /// The most frequent first.
  [[nodiscard]] std::vector<caller> ranked() const;
  [[nodiscard]] const std::vector<caller>& all() const noexcept { return apart_; }
  [[nodiscard]] std::uint64_t others() const noexcept { return others_; }

 private:
  std::vector<caller> apart_;
  std::uint64_t others_ = 0;
};

}  // namespace scattergate::digest
