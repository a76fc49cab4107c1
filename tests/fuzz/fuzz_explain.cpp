#include <algorithm>
#include <cstdint>
#include <span>

#include "report/verify/explain_plan.hpp"
#include "report/verify/explainable.hpp"
#include "tests/fuzz/require.hpp"

/// The input is one BSON document: a reply to explain that a mongos may send, and a command
/// that a file may hold. A plan is valid or absent; what is sent is a document, an explain of
/// one statement, and contains no stage that writes.
namespace {

using scattergate::fuzz::require;
using namespace scattergate;
using plan_kind = report::explain_plan::kind;

void check_plan(wire::document_view reply) {
  const report::explain_plan plan = report::read_explain(reply);
  require((plan.is == plan_kind::shards) == !plan.shards.empty() ||
          plan.is == plan_kind::no_plan);
  require(std::is_sorted(plan.shards.begin(), plan.shards.end()));
  require(std::adjacent_find(plan.shards.begin(), plan.shards.end()) == plan.shards.end());
}

void check_stages(wire::document_view explained) {
  const auto pipeline = wire::find_field(explained, "pipeline");
  const auto stages = pipeline ? pipeline->as_container() : std::nullopt;
  if (!stages) return;
  wire::document_reader reader{*stages};
  for (wire::element member; reader.next(member);) {
    const auto stage = member.as_document();
    wire::element operation;
    if (!stage || !wire::document_reader{*stage}.next(operation)) continue;
    require(operation.key() != "$out" && operation.key() != "$merge");
  }
}

void check_request(const report::explainable& what) {
  if (!what.why_not.empty()) return;
  require(wire::document_view::from(what.judged()).has_value());
  const auto request = report::explain_request(what);
  const auto whole = wire::document_view::from(request);
  require(whole.has_value());
  const auto inner = wire::find_field(*whole, "explain");
  require(inner && inner->is_document() && inner->as_document());
  const auto verbosity = wire::find_field(*whole, "verbosity");
  require(verbosity && verbosity->as_string() == "queryPlanner");
  if (what.kind == routing::command_kind::aggregate) check_stages(*inner->as_document());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = wire::document_view::from(std::as_bytes(std::span{data, size}));
  if (!document) return 0;
  check_plan(*document);
  const auto command = wire::command_of(*document);
  if (!command) return 0;
  const auto parts = report::explainables_of(*command);
  require(!parts.empty());
  for (const report::explainable& part : parts) check_request(part);
  return 0;
}
