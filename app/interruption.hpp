#pragma once

namespace scattergate::app {

/// Makes the program survive an interruption (SIGINT, such as from Ctrl-C). From now on, the
/// program must ask goes_on() between steps, and end early if it returns false.
void catch_interruption();

/// Whether there was no interruption since catch_interruption().
[[nodiscard]] bool goes_on() noexcept;

}  // namespace scattergate::app
