#pragma once

#include "proxy/judging/pending_request.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// Gives a getMore or killCursors the class of the command that opened its cursor, if `cursors`
/// has it; for killCursors, its first known cursor. Records the affected cursors in `pending`.
/// Leaves other commands unchanged.
void follow_cursor(routing::verdict& verdict, const wire::command& command,
                   const cursor_table& cursors, pending_request& pending);

}  // namespace scattergate::proxy
