#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/options/rule.hpp"
#include "digest/table.hpp"
#include "proxy/policy.hpp"
#include "routing/catalog/catalog.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Which commands `gate` judges to be findings, in addition to those of the class
/// scatter_gather.
struct gate_limits {
  /// The largest number of shards that a command may ask; unset: fewer than all shards that own
  /// chunks of the collection.
  std::optional<std::uint32_t> max_fanout;
  bool ignores_failed = false;  ///< leave out findings whose commands all failed
};

/// The rules and comments that accept findings in `gate`: those of the catalog and of the file
/// given by --rules. A gate rejects nothing: rules that reject or throttle only observe.
class gate_rules {
 public:
  /// Reads `file`, a configuration file whose `rules` and `comments` are used, if it is set.
  /// `of_catalog`: the catalog's own rules, which come after them. Without `comments.accept`,
  /// comments may accept findings in all namespaces.
  [[nodiscard]] static text::result<gate_rules> read(const std::optional<std::string>& file,
                                                     std::vector<config::rule> of_catalog);

  [[nodiscard]] const std::vector<config::rule>& rules() const noexcept { return rules_; }
  [[nodiscard]] const std::vector<std::string>& accepting() const noexcept {
    return accepting_;
  }

  /// Records in the findings of `in` which of them a rule or comment accepts, as a proxy does
  /// (digest::is_accepted()). A rule with a condition on data that a row lacks, such as the
  /// client's address, accepts nothing here.
  void accept(digest::table& in, const routing::catalog& catalog) const;

 private:
  std::vector<config::rule> rules_;
  std::vector<std::string> accepting_;
};

/// The facts about findings that a gate's result states.
struct gate_counts {
  std::uint64_t failed = 0;  ///< scatters that failed at the server
  std::uint64_t ignored =
      0;  ///< findings that were left out, because all their commands failed
};

/// Applies `limits` to a digest (the table of shapes): marks rows as findings, and removes
/// findings whose commands all failed.
[[nodiscard]] gate_counts apply(const gate_limits& limits, digest::table& to,
                                const routing::catalog& catalog);

/// How a catalog and the used collections differ. Names are sorted.
struct catalog_use {
  std::vector<std::string> unused;   ///< entries that no command matched
  std::vector<std::string> unknown;  ///< collections that aren't in the catalog
  /// "ENTRY (did you mean COLLECTION?)" for each sharded entry in `unused` whose name resembles
  /// one in `unknown`.
  std::vector<std::string> mistyped;
};
/// Compares the catalog with the collections of the digest's commands. Ignores the databases
/// admin, config and local, and names that begin with "system.".
[[nodiscard]] catalog_use compare(const routing::catalog& catalog, const digest::table& used);

}  // namespace scattergate::app
