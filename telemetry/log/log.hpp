#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "text/problem.hpp"

/// The operational log: JSON lines in the shape of MongoDB's own
/// ({t, s, c, id, ctx, msg, attr}). Never used on the data path's way of a good command.
namespace scattergate::telemetry::log {

enum class severity : std::uint8_t { debug, info, warning, error, fatal };

/// `c`: which part speaks.
enum class component : std::uint8_t { proxy, routing, catalog, audit, config, admin };

/// std::monostate: the attribute is left out.
using value = std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>,
                           std::monostate>;
using attributes = std::initializer_list<std::pair<std::string_view, value>>;

/// Opens the log: `-` is standard error. Before it is called lines go to standard error. Where
/// the file can't be opened the log stays as it was.
[[nodiscard]] text::result<void> open(const std::string& file, const std::string& level);
void reopen();                             ///< USR1
void set_level(const std::string& level);  ///< HUP

/// Names the calling thread in `ctx`.
void set_thread_name(std::string name);

/// Writes one line. `id` is stable: it names the message whatever its words.
/// Thread-safety: any thread.
void write(severity severity, component component, std::int32_t id, std::string_view message,
           attributes with = {});

}  // namespace scattergate::telemetry::log
