#include "config/options/settings.hpp"

#include <algorithm>
#include <array>

#include "config/driver/connection_string.hpp"
#include "config/options/load.hpp"
#include "config/options/setting_values.hpp"
#include "text/utf8.hpp"
#include "wire/limits.hpp"

namespace scattergate::config {
namespace {

bool names_catalog_file(std::string_view text) {
  return !text.empty() && text != catalog_options::mongos && text != catalog_options::off &&
         !preset_name(text);
}

// Whether the preset or file exists is checked when it is loaded.
text::result<void> set_source(options& to, std::string_view text) {
  if (text.empty()) return text::failure("expected mongos, preset:NAME, a file or off");
  if (!names_catalog_file(text)) {
    to.catalog.source = text;
    return {};
  }
  return set_input_file(to.catalog.source, text);
}

text::result<void> set_catalog_uri(options& to, std::string_view text) {
  to.catalog.uri = text;
  return {};
}

bool is_given(std::string_view text) {
  return !text.empty();
}

text::result<void> set_input_file_or_none(std::string& to, std::string_view text) {
  if (!text.empty()) return set_input_file(to, text);
  to.clear();
  return {};
}

text::result<void> set_catalog_uri_file(options& to, std::string_view text) {
  return set_input_file_or_none(to.catalog.uri_file, text);
}

text::result<void> set_audit_values(options&, std::string_view text) {
  if (text != "redacted") return text::failure("expected redacted: values are never written");
  return {};
}

// Standard output isn't possible, because each write replaces the whole file.
text::result<void> set_state_file(options& to, std::string_view text) {
  if (text == "-") return text::failure("expected a file's name, or nothing");
  if (!text.empty()) return set_file(to.state.file, text);
  to.state.file.clear();
  return {};
}

// The name becomes an _id in the fleet's database, and appears in logs.
text::result<void> set_fleet_name(options& to, std::string_view text) {
  constexpr std::size_t most = 200;
  if (text.size() > most || !text::is_plain(text)) {
    return text::failure("expected at most 200 bytes of visible characters");
  }
  to.fleet.name = text;
  return {};
}

text::result<void> set_fleet_database(options& to, std::string_view text) {
  constexpr std::size_t most = 63;
  if (text.empty() || text.size() > most || text.find_first_of("/\\. \"$*<>:|?") != text.npos ||
      !text::is_plain(text)) {
    return text::failure("expected a database's name, of at most 63 bytes");
  }
  to.fleet.database = text;
  return {};
}

// The file needn't exist; it is created.
text::result<void> set_salt_file(options& to, std::string_view text) {
  if (text == "-") return text::failure("expected a file's name, or nothing");
  if (!text.empty()) return set_file(to.advise.salt_file, text);
  to.advise.salt_file.clear();
  return {};
}

text::result<void> set_level(std::string& to, std::string_view text) {
  constexpr std::array<std::string_view, 4> levels = {"debug", "info", "warning", "error"};
  if (std::find(levels.begin(), levels.end(), text) == levels.end()) {
    return text::failure("expected debug, info, warning or error");
  }
  to = text;
  return {};
}

text::result<void> set_uninspected(options& to, std::string_view text) {
  if (text != "forward" && text != "reject") return text::failure("expected forward or reject");
  to.reject_uninspected = text == "reject";
  return {};
}

// The path of a Unix socket is limited in length and must be absolute.
text::result<void> set_handover(options& to, std::string_view text) {
  if (!text.empty() && !net::parse_endpoint("unix:" + std::string{text})) {
    return text::failure("expected an absolute path of at most 107 bytes");
  }
  to.handover.socket = text;
  return {};
}

/// Sets a comma-separated list of texts, each of which must be valid.
template <typename IsGood>
text::result<void> set_list(std::vector<std::string>& to, std::string_view text, IsGood is_good,
                            std::string_view expected) {
  constexpr std::size_t most = 100;
  std::vector<std::string> members;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view one = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    one = one.substr(0, one.find_last_not_of(' ') + 1);
    if (!is_good(one)) return text::failure(std::string{expected});
    members.emplace_back(one);
  }
  if (members.size() > most) return text::failure("expected at most 100 entries");
  to = std::move(members);
  return {};
}

text::result<void> set_accepted_comments(options& to, std::string_view text) {
  const auto is_good = [](std::string_view glob) {
    return glob.find_first_of(".*?") != glob.npos &&
           glob.size() <= wire::limits::max_namespace_bytes;
  };
  return set_list(to.comments.accept, text, is_good,
                  "expected database.collection, in which * stands for any run of characters");
}

std::string with_commas(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& one : parts) text += (text.empty() ? "" : ", ") + one;
  return text;
}

text::result<void> set_admin(options& to, std::string_view text) {
  const auto address = net::parse_endpoint(text);
  if (!address) return text::failure(std::string{expected_address});
  to.admin = *address;
  return {};
}

text::result<void> set_admin_page_listen(options& to, std::string_view text) {
  if (text.empty()) {
    to.admin_page_listen.reset();
    return {};
  }
  to.admin_page_listen = net::parse_endpoint(text);
  if (!to.admin_page_listen) return text::failure(std::string{expected_address});
  return {};
}

text::result<void> set_admin_hosts(options& to, std::string_view text) {
  return set_list(to.admin_access.hosts, text, net::is_host,
                  "expected hosts' names or addresses, without ports");
}

constexpr wire::label_table<engine_choice> engine_words{{
    {engine_choice::epoll, "epoll"},
    {engine_choice::io_uring, "io_uring"},
    {engine_choice::automatic, "auto"},
}};

constexpr wire::label_table<tap_content> tap_words{{
    {tap_content::off, "off"},
    {tap_content::redacted, "redacted"},
}};

constexpr wire::label_table<reload_choice> reload_words{{
    {reload_choice::on_signal, "on_signal"},
    {reload_choice::on_change, "on_change"},
}};

constexpr wire::label_table<sample_content> sample_words{{
    {sample_content::off, "off"},
    {sample_content::shapes, "shapes"},
    {sample_content::values, "values"},
}};

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr unsigned most_checks = 100;  // of failover.fall and failover.rise
constexpr std::uint64_t least_memory = 1ULL << 20;
constexpr std::uint64_t most_memory = 1ULL << 40;
constexpr std::uint64_t least_message = 64ULL << 10;
constexpr std::uint64_t most_message = wire::limits::max_message_bytes;

constexpr std::array<setting, 61> all_settings = {{
    {"workers", "threads",
     [](options& to, std::string_view text) { return set_count(to.threads, text, 0, 1024); },
     [](const options& from) { return std::to_string(from.threads); }},
    {"workers", "engine",
     [](options& to, std::string_view text) {
       return set_word(to.engine, text, engine_words, "expected epoll, io_uring or auto");
     },
     [](const options& from) { return show_word(from.engine, engine_words); }},
    {"", "inspect",
     [](options& to, std::string_view text) { return set_switch(to.inspect, text); },
     [](const options& from) { return std::string{show_switch(from.inspect)}; }},
    {"catalog", "source", set_source, [](const options& from) { return from.catalog.source; },
     names_catalog_file},
    {"catalog", "uri", set_catalog_uri,
     [](const options& from) { return hide_password(from.catalog.uri); }},
    {"catalog", "uri_file", set_catalog_uri_file,
     [](const options& from) { return from.catalog.uri_file; }, is_given},
    {"catalog", "refresh",
     [](options& to, std::string_view text) {
       return set_duration(to.catalog.refresh, text, milliseconds{1'000}, hours{24});
     },
     [](const options& from) { return show_duration(from.catalog.refresh); }},
    {"catalog", "max_chunks",
     [](options& to, std::string_view text) {
       return set_count(to.catalog.max_chunks, text, 0, 10'000'000);
     },
     [](const options& from) { return std::to_string(from.catalog.max_chunks); }},
    {"admin", "listen", set_admin, [](const options& from) { return to_string(from.admin); }},
    {"admin", "page",
     [](options& to, std::string_view text) { return set_switch(to.admin_page, text); },
     [](const options& from) { return std::string{show_switch(from.admin_page)}; }},
    {"admin", "page_listen", set_admin_page_listen,
     [](const options& from) {
       return from.admin_page_listen ? to_string(*from.admin_page_listen) : std::string{};
     }},
    {"admin", "resolved_after",
     [](options& to, std::string_view text) {
       return set_duration(to.admin_access.resolved_after, text, milliseconds{1'000},
                           hours{24 * 7});
     },
     [](const options& from) { return show_duration(from.admin_access.resolved_after); }},
    {"admin", "tap",
     [](options& to, std::string_view text) {
       return set_word(to.admin_access.tap, text, tap_words,
                       "expected off or redacted: values are never shown");
     },
     [](const options& from) { return show_word(from.admin_access.tap, tap_words); }},
    {"admin", "grafana_link",
     [](options& to, std::string_view text) {
       return set_link_template(to.admin_access.grafana_link, text);
     },
     [](const options& from) { return from.admin_access.grafana_link; }},
    {"admin", "hosts", set_admin_hosts,
     [](const options& from) { return with_commas(from.admin_access.hosts); }, nullptr, true},
    {"admin", "token_file",
     [](options& to, std::string_view text) {
       return set_input_file_or_none(to.admin_access.token_file, text);
     },
     [](const options& from) { return from.admin_access.token_file; }, is_given},
    {"admin.tls", "cert_file",
     [](options& to, std::string_view text) {
       return set_input_file_or_none(to.admin_access.tls.cert_file, text);
     },
     [](const options& from) { return from.admin_access.tls.cert_file; }, is_given},
    {"admin.tls", "key_file",
     [](options& to, std::string_view text) {
       return set_input_file_or_none(to.admin_access.tls.key_file, text);
     },
     [](const options& from) { return from.admin_access.tls.key_file; }, is_given},
    {"comments", "accept", set_accepted_comments,
     [](const options& from) { return with_commas(from.comments.accept); }, nullptr, true},
    {"metrics", "max_namespaces",
     [](options& to, std::string_view text) {
       return set_count(to.max_namespaces, text, 1, 20'000);
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
    {"state", "file", set_state_file, [](const options& from) { return from.state.file; }},
    {"state", "interval",
     [](options& to, std::string_view text) {
       return set_duration(to.state.interval, text, milliseconds{1'000}, hours{24});
     },
     [](const options& from) { return show_duration(from.state.interval); }},
    {"fleet", "name", set_fleet_name, [](const options& from) { return from.fleet.name; }},
    {"fleet", "uri_file",
     [](options& to, std::string_view text) {
       return set_input_file_or_none(to.fleet.uri_file, text);
     },
     [](const options& from) { return from.fleet.uri_file; }, is_given},
    {"fleet", "database", set_fleet_database,
     [](const options& from) { return from.fleet.database; }},
    {"fleet", "interval",
     [](options& to, std::string_view text) {
       return set_duration(to.fleet.interval, text, milliseconds{1'000}, hours{24});
     },
     [](const options& from) { return show_duration(from.fleet.interval); }},
    {"fleet", "logical_shards",
     [](options& to, std::string_view text) {
       return set_count(to.fleet.logical_shards, text, 1, 10'000);
     },
     [](const options& from) { return std::to_string(from.fleet.logical_shards); }},
    {"fleet", "retain",
     [](options& to, std::string_view text) {
       return set_duration(to.fleet.retain, text, hours{1}, hours{24 * 365});
     },
     [](const options& from) { return show_duration(from.fleet.retain); }},
    {"fleet", "read",
     [](options& to, std::string_view text) { return set_switch(to.fleet.read, text); },
     [](const options& from) { return std::string{show_switch(from.fleet.read)}; }},
    {"log", "file",
     [](options& to, std::string_view text) { return set_file(to.log.file, text); },
     [](const options& from) { return from.log.file; }},
    {"log", "level",
     [](options& to, std::string_view text) { return set_level(to.log.level, text); },
     [](const options& from) { return from.log.level; }},
    {"log", "ready_line",
     [](options& to, std::string_view text) { return set_switch(to.log.ready_line, text); },
     [](const options& from) { return std::string{show_switch(from.log.ready_line)}; }},
    {"limits", "connections",
     [](options& to, std::string_view text) {
       return set_count(to.limits.connections, text, 1, 1'000'000);
     },
     [](const options& from) { return std::to_string(from.limits.connections); }},
    {"limits", "connections_per_address",
     [](options& to, std::string_view text) {
       return set_count(to.limits.connections_per_address, text, 0, 1'000'000);
     },
     [](const options& from) { return std::to_string(from.limits.connections_per_address); }},
    {"limits", "first_message",
     [](options& to, std::string_view text) {
       return set_duration_or_zero(to.limits.first_message, text);
     },
     [](const options& from) { return show_duration(from.limits.first_message); }},
    {"limits", "message",
     [](options& to, std::string_view text) {
       return set_duration_or_zero(to.limits.message, text);
     },
     [](const options& from) { return show_duration(from.limits.message); }},
    {"limits", "idle",
     [](options& to, std::string_view text) {
       return set_duration_or_zero(to.limits.idle, text);
     },
     [](const options& from) { return show_duration(from.limits.idle); }},
    {"limits", "quiet",
     [](options& to, std::string_view text) {
       return set_duration(to.limits.quiet, text, milliseconds{1'000}, hours{24 * 7});
     },
     [](const options& from) { return show_duration(from.limits.quiet); }},
    {"limits", "trust_clients",
     [](options& to, std::string_view text) {
       return set_switch(to.limits.trust_clients, text);
     },
     [](const options& from) { return std::string{show_switch(from.limits.trust_clients)}; }},
    {"limits", "message_size",
     [](options& to, std::string_view text) {
       return set_size(to.limits.message_bytes, text, least_message, most_message,
                       "64KiB to 48000000");
     },
     [](const options& from) { return std::to_string(from.limits.message_bytes); }},
    {"limits", "memory",
     [](options& to, std::string_view text) {
       return set_size(to.limits.memory_bytes, text, least_memory, most_memory,
                       "1MiB to 1024GiB");
     },
     [](const options& from) { return show_size(from.limits.memory_bytes); }},
    {"failover", "check_interval",
     [](options& to, std::string_view text) {
       return set_duration_or_zero(to.failover.check_interval, text);
     },
     [](const options& from) { return show_duration(from.failover.check_interval); }},
    {"failover", "check_timeout",
     [](options& to, std::string_view text) {
       return set_duration(to.failover.check_timeout, text, milliseconds{100}, minutes{1});
     },
     [](const options& from) { return show_duration(from.failover.check_timeout); }},
    {"failover", "fall",
     [](options& to, std::string_view text) {
       return set_count(to.failover.fall, text, 1, most_checks);
     },
     [](const options& from) { return std::to_string(from.failover.fall); }},
    {"failover", "rise",
     [](options& to, std::string_view text) {
       return set_count(to.failover.rise, text, 1, most_checks);
     },
     [](const options& from) { return std::to_string(from.failover.rise); }},
    {"failover", "no_reply",
     [](options& to, std::string_view text) {
       return set_duration_or_zero(to.failover.no_reply, text);
     },
     [](const options& from) { return show_duration(from.failover.no_reply); }},
    {"failover", "return_after",
     [](options& to, std::string_view text) {
       return set_duration_or_zero(to.failover.return_after, text);
     },
     [](const options& from) { return show_duration(from.failover.return_after); }},
    {"handover", "socket", set_handover,
     [](const options& from) { return from.handover.socket; }},
    {"verify", "samples",
     [](options& to, std::string_view text) {
       return set_word(to.verify.samples, text, sample_words, "expected off, shapes or values");
     },
     [](const options& from) { return show_word(from.verify.samples, sample_words); }},
    {"verify", "self_check",
     [](options& to, std::string_view text) { return set_switch(to.verify.self_check, text); },
     [](const options& from) { return std::string{show_switch(from.verify.self_check)}; }},
    {"verify", "interval",
     [](options& to, std::string_view text) {
       return set_duration(to.verify.interval, text, milliseconds{100}, hours{24});
     },
     [](const options& from) { return show_duration(from.verify.interval); }},
    {"verify", "uri_file",
     [](options& to, std::string_view text) {
       return set_input_file_or_none(to.verify.uri_file, text);
     },
     [](const options& from) { return from.verify.uri_file; }, is_given},
    {"advise", "sketch",
     [](options& to, std::string_view text) { return set_switch(to.advise.sketch, text); },
     [](const options& from) { return std::string{show_switch(from.advise.sketch)}; }},
    {"advise", "salt_file", set_salt_file,
     [](const options& from) { return from.advise.salt_file; }},
    {"drain", "grace",
     [](options& to, std::string_view text) {
       return set_duration(to.drain_grace, text, milliseconds{0}, hours{24});
     },
     [](const options& from) { return show_duration(from.drain_grace); }},
    {"", "on_uninspected", set_uninspected,
     [](const options&
            from) { return std::string{from.reject_uninspected ? "reject" : "forward"}; }},
    {"", "reload",
     [](options& to, std::string_view text) {
       return set_word(to.reload, text, reload_words, "expected on_signal or on_change");
     },
     [](const options& from) { return show_word(from.reload, reload_words); }},
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

std::string name_of(std::string_view section, std::string_view key) {
  return (section.empty() ? std::string{} : std::string{section} + ".") + std::string{key};
}

std::string variable_of(std::string_view section, std::string_view key) {
  std::string name = "SCATTERGATE_" + name_of(section, key);
  std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
    if (letter == '.') return '_';
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return name;
}

}  // namespace scattergate::config
