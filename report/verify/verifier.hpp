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

/// The comparison of one command with mongos's plan.
struct check {
  own_verdict ours;   ///< scattergate's verdict
  explain_plan plan;  ///< no_plan if mongos wasn't asked
  comparison result;

  /// Set if later commands would fail too: mongos can't be reached, the server isn't a mongos,
  /// or the connection string is invalid.
  std::optional<config::mongo_error> trouble;
};

/// Judges commands, and compares the verdicts with mongos's plans, which it requests by
/// explain. Sends only explains with verbosity queryPlanner, which never run the command.
class verifier {
 public:
  /// Returns a newer catalog, in case a chunk has moved; null: there is none.
  using catalog_source = std::function<std::shared_ptr<const routing::catalog>()>;

  /// `mongos` must outlive this object.
  verifier(config::mongo_reader& mongos, std::shared_ptr<const routing::catalog> catalog,
           catalog_source newer);

  /// Judges a command and compares the verdict with mongos's plan. If they disagree, does both
  /// once more, with a newer catalog if there is one.
  [[nodiscard]] check check_one(const explainable& what);

  /// Replaces the catalog.
  void set_catalog(std::shared_ptr<const routing::catalog> catalog);

  /// Number of explains sent.
  [[nodiscard]] std::size_t sent() const noexcept { return sent_; }

  /// Sets a function that is called before each explain, for example to limit the rate.
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
