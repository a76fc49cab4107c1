#pragma once

#include <cstdint>

#include "proxy/cursor_table.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {

/// Gives a getMore or killCursors the class of the command that opened its cursor (of the
/// first of several that is known), where the table knows it; other commands are left alone.
/// `cursor_id` becomes a getMore's. A killCursors' cursors are forgotten.
void follow_cursor(routing::verdict& verdict, const wire::command& command,
                   cursor_table& cursors, std::int64_t& cursor_id);

}  // namespace scattergate::proxy
