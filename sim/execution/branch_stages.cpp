#include <array>

#include "sim/execution/pipeline.hpp"
#include "sim/values/error.hpp"
#include "sim/values/function_table.hpp"

/// The stages that split documents or the stream: `$facet`, `$redact`.
namespace scattergate::sim {
namespace {

documents facet(const pipeline_scope& in, documents input, const value& operand) {
  const pipeline_scope inner{in.at, in.db, in.names, in.depth + 1};
  document out;
  for (const field& each : stage_document("$facet", operand)) {
    const auto* stages = each.content.as<array>();
    if (stages == nullptr) {
      throw command_failure(static_cast<errc>(40170), "arguments to $facet must be arrays");
    }
    check_stages(*stages);
    array found;
    for (const document_ptr& one : run_pipeline(inner, input, *stages)) {
      found.emplace_back(*one);
    }
    out.append(each.name, std::move(found));
  }
  return {std::make_shared<const document>(std::move(out))};
}

/// The values of `$redact`'s three system variables.
constexpr const char* descend = "descend";
constexpr const char* prune = "prune";
constexpr const char* keep = "keep";

class redactor {
 public:
  redactor(const value& operand, variables names)
      : decide_(operand, with_decisions(std::move(names))) {}

  /// The remaining part of a document; std::nullopt if nothing remains.
  [[nodiscard]] std::optional<document> redacted(const document& from) const {
    const value decision = decide_.evaluate(from);
    const auto* text = decision.as<std::string>();
    if (text != nullptr && *text == keep) return from;
    if (text != nullptr && *text == prune) return std::nullopt;
    if (text == nullptr || *text != descend) {
      throw command_failure(static_cast<errc>(17053),
                            "$redact must resolve to $$DESCEND, $$PRUNE or $$KEEP");
    }
    document out;
    for (const field& each : from) {
      if (auto left = redacted(each.content)) out.append(each.name, std::move(*left));
    }
    return out;
  }

 private:
  static variables with_decisions(variables names) {
    names["DESCEND"] = descend;
    names["PRUNE"] = prune;
    names["KEEP"] = keep;
    return names;
  }

  [[nodiscard]] std::optional<value> redacted(const value& from) const {
    if (const auto* inner = from.as<document>()) {
      auto left = redacted(*inner);
      return left ? std::optional<value>{std::move(*left)} : std::nullopt;
    }
    const auto* members = from.as<array>();
    if (members == nullptr) return from;
    array out;
    for (const value& each : *members) {
      if (auto left = redacted(each)) out.push_back(std::move(*left));
    }
    return value{std::move(out)};
  }

  expression decide_;
};

documents redact(const pipeline_scope& in, documents input, const value& operand) {
  const redactor cut{operand, in.names};
  documents out;
  for (const document_ptr& each : input) {
    if (auto left = cut.redacted(*each)) {
      out.push_back(std::make_shared<const document>(std::move(*left)));
    }
  }
  return out;
}

constexpr auto branch_stages = std::to_array<std::pair<std::string_view, stage_function>>({
    {"$facet", facet},
    {"$redact", redact},
});

}  // namespace

stage_function find_branch_stage(std::string_view name) noexcept {
  return find_function(branch_stages, name);
}

}  // namespace scattergate::sim
