#include "proxy/judging/cursor_commands.hpp"

#include <optional>

namespace scattergate::proxy {
namespace {

/// The number of cursors looked up for one killCursors. Drivers send one; those beyond the
/// limit stay in the table until they are evicted.
constexpr int max_killed = 16;

void inherit(routing::verdict& verdict, const cursor_origin& origin) noexcept {
  verdict.statements[static_cast<std::size_t>(verdict.routing)] = 0;
  verdict.routing = origin.routing;
  verdict.bounds = origin.bounds;
  verdict.why = origin.why;
  verdict.statements[static_cast<std::size_t>(verdict.routing)] = 1;
}

void follow_killed(routing::verdict& verdict, const wire::command& command,
                   const cursor_table& cursors, std::vector<std::int64_t>& killed) {
  const auto list = wire::find_field(command.body, "cursors");
  const auto ids = list ? list->as_array() : std::nullopt;
  if (!ids) return;
  wire::document_reader reader{*ids};
  wire::element id;
  for (int i = 0; i < max_killed && reader.next(id); ++i) {
    const auto cursor_id = id.as_int64().value_or(0);
    const auto origin = cursors.find(cursor_id);
    if (!origin) continue;
    if (killed.empty()) inherit(verdict, *origin);
    killed.push_back(cursor_id);
  }
}

}  // namespace

void follow_cursor(routing::verdict& verdict, const wire::command& command,
                   const cursor_table& cursors, pending_request& pending) {
  if (verdict.command == routing::command_kind::kill_cursors) {
    follow_killed(verdict, command, cursors, pending.killed_cursors);
  } else if (verdict.command == routing::command_kind::get_more) {
    pending.cursor_id = command.first.as_int64().value_or(0);
    if (const auto origin = cursors.find(pending.cursor_id)) {
      inherit(verdict, *origin);
      pending.shape_hash = origin->shape_hash;
      pending.digest_destination = origin->digest_destination;
    }
  }
}

}  // namespace scattergate::proxy
