#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/driver/mongo_reader.hpp"
#include "report/verify/comparison.hpp"
#include "report/verify/explainable.hpp"
#include "routing/scratch.hpp"

namespace scattergate::report {

/// One command held against mongos.
struct check {
  own_verdict ours;
  explain_plan plan;  ///< no_plan where mongos wasn't asked
  comparison result;

  /// Set where mongos couldn't be asked at all, and so the next command can't be either: it
  /// isn't reachable, isn't a mongos, or lets us do nothing.
  std::optional<config::mongo_error> trouble;
};

/// Judges commands and has mongos explain them. Sends nothing but explain with the verbosity
/// queryPlanner, which plans a command and doesn't run it.
class verifier {
 public:
  /// A newer catalog, asked for where a chunk may have moved since the last; null: there is
  /// none.
  using catalog_source = std::function<std::shared_ptr<const routing::catalog>()>;

  verifier(config::mongo_reader& mongos, std::shared_ptr<const routing::catalog> catalog,
           catalog_source newer);

  /// A disagreement is looked at a second time, with a newer catalog where there is one.
  [[nodiscard]] check check_one(const explainable& what);

  /// Another catalog from now on.
  void use(std::shared_ptr<const routing::catalog> catalog);

  /// How many explains have been sent.
  [[nodiscard]] std::size_t sent() const noexcept { return sent_; }

  /// Called before each explain is sent: the place to wait in.
  void before_each(std::function<void()> pause) { pause_ = std::move(pause); }

 private:
  [[nodiscard]] check attempt(const explainable& what);
  [[nodiscard]] own_verdict judge(const std::vector<std::byte>& command);
  [[nodiscard]] explain_plan explain(const explainable& what, check& of);
  [[nodiscard]] std::optional<std::vector<std::string>> owners_of(const explainable& what,
                                                                  check& of);

  config::mongo_reader& mongos_;
  std::shared_ptr<const routing::catalog> catalog_;
  catalog_source newer_;
  std::function<void()> pause_;
  std::map<std::string, std::vector<std::string>> owners_;  // by namespace
  std::size_t sent_ = 0;
  std::vector<std::byte> block_;
  routing::scratch memory_;
};

}  // namespace scattergate::report
