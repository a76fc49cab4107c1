#pragma once

namespace scattergate::app {

/// Lets the program go on after an interruption (SIGINT, such as from Ctrl-C); goes_on()
/// reports it.
void catch_interruption();

/// Whether there was no interruption since catch_interruption().
[[nodiscard]] bool goes_on() noexcept;

}  // namespace scattergate::app
