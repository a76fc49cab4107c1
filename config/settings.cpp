#include "config/settings.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "config/scalars.hpp"

namespace scattergate::config {
namespace {

constexpr std::uint16_t mongos_port = 27017;
constexpr std::size_t max_upstreams = 64;
constexpr std::string_view address_wanted =
    "an address is wanted: host:port, [v6]:port or unix:/path";

template <typename Number>
std::string set_count(Number& to, std::string_view text, std::uint64_t least,
                      std::uint64_t most) {
  const auto count = parse_count(text);
  if (!count || *count < least || *count > most) {
    return "a number from " + std::to_string(least) + " to " + std::to_string(most) +
           " is wanted";
  }
  to = static_cast<Number>(*count);
  return {};
}

std::string set_switch(bool& to, std::string_view text) {
  const auto on = parse_switch(text);
  if (!on) return "on or off is wanted";
  to = *on;
  return {};
}

std::string set_duration(std::chrono::milliseconds& to, std::string_view text,
                         std::chrono::milliseconds least, std::chrono::milliseconds most) {
  const auto duration = parse_duration(text);
  if (!duration || *duration < least || *duration > most) {
    return "a duration from " + show_duration(least) + " to " + show_duration(most) +
           " is wanted, such as 250ms, 30s, 5m or 1h";
  }
  to = *duration;
  return {};
}

std::string set_file(std::string& to, std::string_view text) {
  if (text.empty()) return "a file's name is wanted";
  if (text.find('\0') != text.npos) return "a file's name has no NUL in it";
  to = text;
  return {};
}

// What a preset is called, and whether a file can be read, is found when it is loaded.
std::string set_source(options& to, std::string_view text) {
  if (text == "mongos") {
    return "the live catalog of a mongos is not available in this version: give preset:NAME or "
           "a catalog file";
  }
  if (text.empty() || text.substr(0, 7) == "preset:") {
    to.catalog.source = text;
    return {};
  }
  if (std::string wrong = set_file(to.catalog.source, text); !wrong.empty()) return wrong;
  to.catalog.source = std::filesystem::absolute(to.catalog.source).lexically_normal().string();
  return {};
}

std::string set_audit_values(options&, std::string_view text) {
  return text == "redacted" ? "" : "only redacted is possible: values are never written";
}

std::string set_level(std::string& to, std::string_view text) {
  constexpr std::array<std::string_view, 4> levels = {"debug", "info", "warning", "error"};
  if (std::find(levels.begin(), levels.end(), text) == levels.end()) {
    return "debug, info, warning or error is wanted";
  }
  to = text;
  return {};
}

std::string set_uninspected(options& to, std::string_view text) {
  if (text != "forward" && text != "reject") return "forward or reject is wanted";
  to.reject_uninspected = text == "reject";
  return {};
}

std::string set_memory(options& to, std::string_view text) {
  constexpr std::uint64_t least = 1ULL << 20;
  constexpr std::uint64_t most = 1ULL << 40;
  const auto size = parse_size(text);
  if (!size || *size < least || *size > most) {
    return "a size from 1MiB to 1024GiB is wanted, such as 512MiB";
  }
  to.limits.memory_bytes = *size;
  return {};
}

std::string set_admin(options& to, std::string_view text) {
  const auto address = parse_endpoint(text);
  if (!address) return std::string{address_wanted};
  to.admin = *address;
  return {};
}

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr std::array<setting, 16> all_settings = {{
    {"workers", "threads",
     [](options& to, std::string_view text) { return set_count(to.threads, text, 0, 1024); },
     [](const options& from) { return std::to_string(from.threads); }},
    {"", "inspect",
     [](options& to, std::string_view text) { return set_switch(to.inspect, text); },
     [](const options& from) { return std::string{show_switch(from.inspect)}; }},
    {"catalog", "source", set_source, [](const options& from) { return from.catalog.source; }},
    {"admin", "listen", set_admin, [](const options& from) { return to_string(from.admin); }},
    {"admin", "page",
     [](options& to, std::string_view text) { return set_switch(to.admin_page, text); },
     [](const options& from) { return std::string{show_switch(from.admin_page)}; }},
    {"metrics", "max_namespaces",
     [](options& to, std::string_view text) {
       return set_count(to.max_namespaces, text, 1, 10'000);
     },
     [](const options& from) { return std::to_string(from.max_namespaces); }},
    {"audit", "file",
     [](options& to, std::string_view text) { return set_file(to.audit.file, text); },
     [](const options& from) { return from.audit.file; }},
    {"audit", "interval",
     [](options& to, std::string_view text) {
       return set_duration(to.audit.interval, text, milliseconds{100}, hours{24});
     },
     [](const options& from) { return show_duration(from.audit.interval); }},
    {"audit", "values", set_audit_values,
     [](const options&) { return std::string{"redacted"}; }},
    {"audit", "max_shapes",
     [](options& to, std::string_view text) {
       return set_count(to.audit.max_shapes, text, 1, 1'000'000);
     },
     [](const options& from) { return std::to_string(from.audit.max_shapes); }},
    {"log", "file",
     [](options& to, std::string_view text) { return set_file(to.log.file, text); },
     [](const options& from) { return from.log.file; }},
    {"log", "level",
     [](options& to, std::string_view text) { return set_level(to.log.level, text); },
     [](const options& from) { return from.log.level; }},
    {"limits", "connections",
     [](options& to, std::string_view text) {
       return set_count(to.limits.connections, text, 1, 1'000'000);
     },
     [](const options& from) { return std::to_string(from.limits.connections); }},
    {"limits", "memory", set_memory,
     [](const options& from) { return show_size(from.limits.memory_bytes); }},
    {"drain", "grace",
     [](options& to, std::string_view text) {
       return set_duration(to.drain_grace, text, milliseconds{0}, hours{24});
     },
     [](const options& from) { return show_duration(from.drain_grace); }},
    {"", "on_uninspected", set_uninspected,
     [](const options& from) {
       return std::string{from.reject_uninspected ? "reject" : "forward"};
     }},
}};

}  // namespace

std::span<const setting> settings() noexcept {
  return all_settings;
}

const setting* find_setting(std::string_view section, std::string_view key) noexcept {
  const auto found = std::find_if(
      all_settings.begin(), all_settings.end(),
      [&](const setting& one) { return one.section == section && one.key == key; });
  return found == all_settings.end() ? nullptr : &*found;
}

std::string variable_of(const setting& setting) {
  std::string name = "SCATTERGATE_";
  if (!setting.section.empty()) name += std::string{setting.section} + "_";
  name += setting.key;
  std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return name;
}

std::string set_listen(listener_options& to, std::string_view text) {
  const auto address = parse_endpoint(text);
  if (!address) return std::string{address_wanted};
  to.listen = *address;
  return {};
}

std::string set_upstream(listener_options& to, std::string_view text) {
  listener_options made;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    std::string_view one = text.substr(begin, comma - begin);
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
    if (std::string wrong = add_upstream(made, one); !wrong.empty()) return wrong;
    begin = comma + 1;
  }
  to.upstream = std::move(made.upstream);
  return {};
}

std::string add_upstream(listener_options& to, std::string_view text) {
  const auto address = parse_endpoint(text, mongos_port);
  if (!address) return std::string{address_wanted};
  if (!address->is_unix() && address->port == 0) return "an upstream's port is not 0";
  if (std::find(to.upstream.begin(), to.upstream.end(), *address) != to.upstream.end()) {
    return "this upstream is given twice";
  }
  if (to.upstream.size() == max_upstreams) {
    return "more than " + std::to_string(max_upstreams) + " upstreams";
  }
  to.upstream.push_back(*address);
  return {};
}

}  // namespace scattergate::config
