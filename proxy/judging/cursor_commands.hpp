#pragma once

#include "proxy/judging/pending_request.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// For a getMore or killCursors: gives `verdict` the routing class of the command that opened
/// the cursor, if `cursors` contains the cursor. If a killCursors names several cursors, the
/// first one that `cursors` contains decides. Records the affected cursors in `pending`. Does
/// nothing for other commands.
void follow_cursor(routing::verdict& verdict, const wire::command& command,
                   const cursor_table& cursors, pending_request& pending);

}  // namespace scattergate::proxy
