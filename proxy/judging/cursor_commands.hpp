#pragma once

#include "proxy/judging/pending_request.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// Gives a getMore or killCursors the class of the command that opened its cursor (of the
/// first of several that is known), where the table knows it; other commands are left alone.
/// Notes in `pending` a getMore's cursor, and those that a killCursors would have killed.
void follow_cursor(routing::verdict& verdict, const wire::command& command,
                   const cursor_table& cursors, pending_request& pending);

}  // namespace scattergate::proxy
