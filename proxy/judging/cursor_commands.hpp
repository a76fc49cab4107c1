#pragma once

#include "proxy/judging/pending_request.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// Gives a getMore or killCursors the class of the command that opened its cursor (for
/// killCursors, the first known one), if the table has it. Leaves other commands unchanged.
/// Notes in `pending` the cursor of a getMore, and those that a killCursors would close.
void follow_cursor(routing::verdict& verdict, const wire::command& command,
                   const cursor_table& cursors, pending_request& pending);

}  // namespace scattergate::proxy
