#include "sim/execution/foreign_stages.hpp"

#include "sim/execution/arguments.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

/// The error has a name since 8.0.
void check_unsharded(const context& at, const std::string& ns) {
  const collection* of = at.all.data.find(ns);
  if (of == nullptr || !of->spread) return;
  const bool has_name = at.all.data.simulated_release().is_since("8.0");
  throw command_failure(errc::sharded_foreign,
                        has_name ? "NamespaceCannotBeSharded" : "Location28769",
                        ns + " cannot be sharded");
}

void check_inner(const context& at, const std::string& db, const field& stage) {
  const auto* options = stage.content.as<document>();
  if (options == nullptr) return;
  if (stage.name == "$facet") {
    for (const field& each : *options) {
      if (const auto* inner = each.content.as<array>()) check_foreign(at, db, *inner);
    }
  } else if (const value* inner = options->find("pipeline")) {
    if (inner->is<array>()) check_foreign(at, db, *inner->as<array>());
  }
}

}  // namespace

std::string named_ns(const std::string& db, const value& target) {
  const auto* name = target.as<std::string>();
  const auto* options = target.as<document>();
  if (name == nullptr && options == nullptr) {
    throw command_failure(errc::type_mismatch, "the target must be a string or an object");
  }
  if (name != nullptr) return db + "." + *name;
  const std::string other = text_argument(*options, "db");
  return (other.empty() ? db : other) + "." + text_argument(*options, "coll");
}

void check_foreign(const context& at, const std::string& db, const array& stages) {
  const bool joins_sharded = at.all.data.simulated_release().is_since("6.0");
  for (const value& each : stages) {
    const field& stage = each.as<document>()->front();
    if (stage.name == "$out") check_unsharded(at, named_ns(db, stage.content));
    const auto* options = stage.content.as<document>();
    const bool joins = stage.name == "$lookup" || stage.name == "$graphLookup";
    if (joins && !joins_sharded && options != nullptr) {
      check_unsharded(at, db + "." + text_argument(*options, "from"));
    }
    check_inner(at, db, stage);
  }
}

}  // namespace scattergate::sim
