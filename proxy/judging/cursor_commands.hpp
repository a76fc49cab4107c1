#pragma once

#include "proxy/judging/pending_request.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// Judges a getMore or killCursors like the command that opened the cursor: copies that
/// command's routing class to `verdict`, if `cursors` contains the cursor. For a killCursors
/// with several cursors, the first that `cursors` contains decides; only the first 16 are
/// looked up. Records in `pending` which cursors the command uses. Does nothing for other
/// commands.
void follow_cursor(routing::verdict& verdict, const wire::command& command,
                   const cursor_table& cursors, pending_request& pending);

}  // namespace scattergate::proxy
