#include "sim/commands/commands_write.hpp"
#include "sim/execution/arguments.hpp"
#include "sim/execution/router.hpp"
#include "sim/execution/writes.hpp"
#include "sim/query/projection.hpp"
#include "sim/values/identity.hpp"

namespace scattergate::sim {
namespace {

value shown(const document_ptr& content, const document& fields) {
  if (content == nullptr) return null{};
  return projection{fields}.apply(*content);
}

document reply_of(const write_result& done, document last, value content) {
  if (done.upserted_id) last.append("upserted", *done.upserted_id);
  return {{"lastErrorObject", std::move(last)}, {"value", std::move(content)}};
}

}  // namespace

document run_find_and_modify(context& at) {
  const document& body = at.in.body;
  const std::string ns = at.ns();
  const bool removes = flag_argument(body, "remove");
  const write_filter which{write_kind::find_and_modify,
                           ns,
                           document_argument(body, "query"),
                           false,
                           collation_of(at, ns, body),
                           document_argument(body, "sort"),
                           flag_argument(body, "upsert"),
                           nullptr,
                           is_raw(at, ns, body),
                           removes,
                           let_of(body)};
  const document& fields = document_argument(body, "fields");
  if (removes == body.has("update") || (removes && which.upserts)) {
    throw command_failure(errc::failed_to_parse,
                          "Either an update or remove=true must be specified, not both");
  }
  reached_shards reached;
  if (removes) {
    const write_result done = run_delete(at, which, at.in.name, reached);
    return reply_of(done, {{"n", static_cast<std::int32_t>(done.matched)}},
                    shown(done.before, fields));
  }
  const update change{needed_argument(body, "update"), now_millis(),
                      array_argument(body, "arrayFilters")};
  const write_result done = run_update(at, which, change, at.in.name, reached);
  const auto count = static_cast<std::int32_t>(done.matched + (done.upserted_id ? 1 : 0));
  return reply_of(done, {{"n", count}, {"updatedExisting", done.matched > 0}},
                  shown(flag_argument(body, "new") ? done.after : done.before, fields));
}

}  // namespace scattergate::sim
