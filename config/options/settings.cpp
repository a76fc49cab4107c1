#include "config/options/settings.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include "config/driver/connection_string.hpp"
#include "config/options/load.hpp"
#include "config/text/scalars.hpp"
#include "text/utf8.hpp"
#include "wire/label_table.hpp"
#include "wire/limits.hpp"

// The tables of all settings: one of those of the daemon, one of those of a listener. A row
// says how a text becomes the value and how the value is shown, its range, and when it is
// applied. The configuration file, the environment, the flags, `scattergate config`, reloads
// and the check of files follow from the rows; docs/configuration.md is compared with them.
//
// Functions named set_X() set a value from a text. If the text is invalid, they change nothing
// and return a problem that says what is expected.

namespace scattergate::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::string_view expected_address =
    "expected an address: host:port, [v6]:port or unix:/path";

constexpr std::string_view duration_examples = ", such as 250ms, 30s, 5m or 1h";

bool is_between(std::chrono::milliseconds duration, std::chrono::milliseconds least,
                std::chrono::milliseconds most) {
  return duration >= least && duration <= most;
}

std::string expected_duration(std::chrono::milliseconds least, std::chrono::milliseconds most) {
  return "expected a duration from " + show_duration(least) + " to " + show_duration(most) +
         std::string{duration_examples};
}

/// Whether each brace of a link template belongs to a placeholder.
bool has_known_placeholders(std::string_view text) {
  constexpr std::array<std::string_view, 6> known = {"{db}",    "{collection}", "{command}",
                                                     "{shape}", "{from}",       "{to}"};
  for (std::size_t at = text.find_first_of("{}"); at != text.npos;
       at = text.find_first_of("{}")) {
    text.remove_prefix(at);
    const auto found = std::ranges::find_if(
        known, [text](std::string_view each) { return text.starts_with(each); });
    if (found == known.end()) return false;
    text.remove_prefix(found->size());
  }
  return true;
}

text::result<void> set_switch(bool& to, std::string_view text) {
  const auto on = parse_switch(text);
  if (!on) return text::failure("expected on or off");
  to = *on;
  return {};
}

text::result<void> set_file(std::string& to, std::string_view text) {
  if (text.empty()) return text::failure("expected a file's name");
  if (text.find('\0') != text.npos)
    return text::failure("a file name must not contain a NUL byte");
  to = text;
  return {};
}

/// Sets a template for links: an http or https address, which may contain placeholders; or an
/// empty text.
text::result<void> set_link_template(std::string& to, std::string_view text) {
  constexpr std::size_t most = 1000;
  const bool is_web = text.starts_with("http://") || text.starts_with("https://");
  const bool is_visible =
      std::ranges::all_of(text, [](char each) { return each > ' ' && each < '\x7F'; });
  if (!text.empty() && (!is_web || !is_visible || text.size() > most)) {
    return text::failure(
        "expected an address that begins with http:// or https:// and has at most 1000 bytes, "
        "without spaces");
  }
  if (!has_known_placeholders(text)) {
    return text::failure(
        "the placeholders are {db}, {collection}, {command}, {shape}, {from} and {to}");
  }
  to = text;
  return {};
}

/// Sets the name of a file to read, and makes it absolute.
text::result<void> set_input_file(std::string& to, std::string_view text) {
  std::string name;
  if (auto set = set_file(name, text); !set) return set;
  to = std::filesystem::absolute(name).lexically_normal().string();
  return {};
}

text::result<void> set_input_file_or_none(std::string& to, std::string_view text) {
  if (!text.empty()) return set_input_file(to, text);
  to.clear();
  return {};
}

/// Sets the name of a file that is written, or created; empty: none. Standard output isn't
/// possible, because the file is replaced or read again.
text::result<void> set_own_file(std::string& to, std::string_view text) {
  if (text == "-") return text::failure("expected a file's name, or nothing");
  if (!text.empty()) return set_file(to, text);
  to.clear();
  return {};
}

// The name becomes an _id in the fleet's database, and appears in logs.
text::result<void> set_fleet_name(std::string& to, std::string_view text) {
  constexpr std::size_t most = 200;
  if (text.size() > most || !text::is_plain(text)) {
    return text::failure("expected at most 200 bytes of visible characters");
  }
  to = text;
  return {};
}

text::result<void> set_database(std::string& to, std::string_view text) {
  constexpr std::size_t most = 63;
  if (text.empty() || text.size() > most || text.find_first_of("/\\. \"$*<>:|?") != text.npos ||
      !text::is_plain(text)) {
    return text::failure("expected a database's name, of at most 63 bytes");
  }
  to = text;
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

// The path of a Unix socket is limited in length and must be absolute.
text::result<void> set_socket(std::string& to, std::string_view text) {
  if (!text.empty() && !net::parse_endpoint("unix:" + std::string{text})) {
    return text::failure("expected an absolute path of at most 107 bytes");
  }
  to = text;
  return {};
}

bool names_catalog_file(std::string_view text) {
  return !text.empty() && text != catalog_options::mongos && text != catalog_options::off &&
         !preset_name(text);
}

// Whether the preset or file exists is checked when it is loaded.
text::result<void> set_source(std::string& to, std::string_view text) {
  if (text.empty()) return text::failure("expected mongos, preset:NAME, a file or off");
  if (!names_catalog_file(text)) {
    to = text;
    return {};
  }
  return set_input_file(to, text);
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

text::result<void> set_accepted_comments(std::vector<std::string>& to, std::string_view text) {
  const auto is_good = [](std::string_view glob) {
    return glob.find_first_of(".*?") != glob.npos &&
           glob.size() <= wire::limits::max_namespace_bytes;
  };
  return set_list(to, text, is_good,
                  "expected database.collection, in which * stands for any run of characters");
}

std::string with_commas(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& one : parts) text += (text.empty() ? "" : ", ") + one;
  return text;
}

text::result<void> set_admin_hosts(std::vector<std::string>& to, std::string_view text) {
  return set_list(to, text, net::is_host, "expected hosts' names or addresses, without ports");
}

/// The words of an enum, and the problem's text for others.
template <typename Enum>
struct words_of {
  template <std::size_t Count>
  consteval words_of(std::string_view problem, const wire::labelled<Enum> (&words)[Count])
      : expected(problem), table(words) {}

  std::string_view expected;
  wire::label_table<Enum> table;
};

constexpr words_of<engine_choice> engine_words{"expected epoll, io_uring or auto",
                                               {
                                                   {engine_choice::epoll, "epoll"},
                                                   {engine_choice::io_uring, "io_uring"},
                                                   {engine_choice::automatic, "auto"},
                                               }};

constexpr words_of<tap_content> tap_words{"expected off or redacted: values are never shown",
                                          {
                                              {tap_content::off, "off"},
                                              {tap_content::redacted, "redacted"},
                                          }};

constexpr words_of<reload_choice> reload_words{"expected on_signal or on_change",
                                               {
                                                   {reload_choice::on_signal, "on_signal"},
                                                   {reload_choice::on_change, "on_change"},
                                               }};

constexpr words_of<sample_content> sample_words{"expected off, shapes or values",
                                                {
                                                    {sample_content::off, "off"},
                                                    {sample_content::shapes, "shapes"},
                                                    {sample_content::values, "values"},
                                                }};

// The kinds of values: how a text becomes the value, and how the value is shown.

struct number {
  template <typename Number, typename Row>
  static text::result<void> set(Number& to, std::string_view text, const Row& row) {
    const auto count = parse_count(text);
    if (!count || *count < row.least || *count > row.most) {
      return text::failure("expected a number from " + std::to_string(row.least) + " to " +
                           std::to_string(row.most));
    }
    to = static_cast<Number>(*count);
    return {};
  }
  static std::string show(std::uint64_t value) { return std::to_string(value); }
};

/// A size, shown with its unit or in bytes.
template <bool HasUnit>
struct size_shown {
  static text::result<void> set(std::uint64_t& to, std::string_view text, const setting& row) {
    const auto size = parse_size(text);
    if (!size || *size < row.least || *size > row.most) {
      return text::failure("expected a size from " + show_size(row.least) + " to " +
                           show(row.most) + ", such as 16MiB");
    }
    to = *size;
    return {};
  }
  static std::string show(std::uint64_t value) {
    return HasUnit ? show_size(value) : std::to_string(value);
  }
};
using size = size_shown<true>;
using bytes = size_shown<false>;

/// The range is in milliseconds.
struct duration {
  static text::result<void> set(milliseconds& to, std::string_view text, const setting& row) {
    const auto read = parse_duration(text);
    const milliseconds least{row.least};
    const milliseconds most{row.most};
    if (!read || !is_between(*read, least, most)) {
      return text::failure(expected_duration(least, most));
    }
    to = *read;
    return {};
  }
  static std::string show(milliseconds value) { return show_duration(value); }
};

/// A duration in its range, or 0s, which disables the feature.
struct duration_or_zero : duration {
  static text::result<void> set(milliseconds& to, std::string_view text, const setting& row) {
    if (const auto read = parse_duration(text); read && read->count() == 0) {
      to = *read;
      return {};
    }
    if (const auto set = duration::set(to, text, row); !set) {
      return text::failure(set.error().what + ", or 0s");
    }
    return {};
  }
};

struct on_or_off {
  static text::result<void> set(bool& to, std::string_view text, const setting&) {
    return set_switch(to, text);
  }
  static std::string show(bool value) { return std::string{show_switch(value)}; }
};

/// One of two words, such as "forward" and "reject".
template <const auto& No, const auto& Yes>
struct one_of {
  template <typename Row>
  static text::result<void> set(bool& to, std::string_view text, const Row&) {
    if (text != No && text != Yes) {
      return text::failure("expected " + std::string{No} + " or " + std::string{Yes});
    }
    to = text == Yes;
    return {};
  }
  static std::string show(bool value) { return std::string{value ? Yes : No}; }
};

/// A word of an enum.
template <const auto& Words>
struct word {
  template <typename Enum, typename Row>
  static text::result<void> set(Enum& to, std::string_view text, const Row&) {
    const auto found = Words.table.find(text);
    if (!found) return text::failure(std::string{Words.expected});
    to = *found;
    return {};
  }
  template <typename Enum>
  static std::string show(Enum value) {
    return std::string{Words.table[value]};
  }
};

struct address {
  template <typename Row>
  static text::result<void> set(net::endpoint& to, std::string_view text, const Row&) {
    const auto read = net::parse_endpoint(text);
    if (!read) return text::failure(std::string{expected_address});
    to = *read;
    return {};
  }
  static std::string show(const net::endpoint& value) { return to_string(value); }
};

struct address_or_none {
  static text::result<void> set(std::optional<net::endpoint>& to, std::string_view text,
                                const setting& row) {
    net::endpoint read;
    if (text.empty()) {
      to.reset();
    } else if (const auto set = address::set(read, text, row); !set) {
      return set;
    } else {
      to = read;
    }
    return {};
  }
  static std::string show(const std::optional<net::endpoint>& value) {
    return value ? to_string(*value) : std::string{};
  }
};

/// A text or a list of texts. `Set`: sets it, or returns a problem.
template <auto Set>
struct set_by {
  template <typename Value>
  static text::result<void> set(Value& to, std::string_view text, const setting&) {
    return Set(to, text);
  }
  static const std::string& show(const std::string& value) { return value; }
  static std::string show(const std::vector<std::string>& value) { return with_commas(value); }
};

/// The name of a file to read; empty: none.
using input_file = set_by<set_input_file_or_none>;

/// A connection string, shown without its password.
struct connection_string {
  static text::result<void> set(std::string& to, std::string_view text, const setting&) {
    to = text;
    return {};
  }
  static std::string show(const std::string& value) { return hide_password(value); }
};

/// A setting with only one valid word, and without a member.
struct always_redacted {
  static text::result<void> set(const options&, std::string_view text, const setting&) {
    if (text != "redacted") return text::failure("expected redacted: values are never written");
    return {};
  }
  static std::string show(const options&) { return "redacted"; }
};

/// The value at a path of members, of options or of a listener.
template <auto... Path, typename Of>
constexpr auto& value_at(Of& of) {
  return (of.*....*Path);
}

bool is_given(std::string_view text) {
  return !text.empty();
}

constexpr std::uint64_t ms(milliseconds duration) {
  return static_cast<std::uint64_t>(duration.count());
}

/// A row: the value at `Path` has this kind. `name`: its section and key, "admin.tls.key_file".
template <typename Kind, auto... Path>
constexpr setting row(std::string_view name, applied when, std::uint64_t least = 0,
                      std::uint64_t most = 0) {
  const std::size_t dot = name.rfind('.');
  return {
      .section = dot == name.npos ? std::string_view{} : name.substr(0, dot),
      .key = name.substr(dot == name.npos ? 0 : dot + 1),
      .read = [](options& to, std::string_view text, const setting& of) -> text::result<void> {
        return Kind::set(value_at<Path...>(to), text, of);
      },
      .show = [](const options& from) -> std::string {
        return Kind::show(value_at<Path...>(from));
      },
      .when = when,
      .least = least,
      .most = most,
      .names_file = std::is_same_v<Kind, input_file> ? is_given : nullptr};
}

constexpr setting with_files(setting row, bool (*names_file)(std::string_view text)) {
  row.names_file = names_file;
  return row;
}

constexpr setting or_list(setting row) {
  row.may_be_list = true;
  return row;
}

constexpr std::string_view word_forward = "forward";
constexpr std::string_view word_reject = "reject";
constexpr applied at_restart = applied::at_restart;
constexpr applied by_reload = applied::by_reload;

constexpr auto all_settings = std::to_array<setting>({
    row<number, &options::threads>("workers.threads", at_restart, 0, 1024),
    row<word<engine_words>, &options::engine>("workers.engine", at_restart),
    row<on_or_off, &options::inspect>("inspect", by_reload),
    with_files(row<set_by<set_source>, &options::catalog, &catalog_options::source>(
                   "catalog.source", by_reload),
               names_catalog_file),
    row<connection_string, &options::catalog, &catalog_options::uri>("catalog.uri", by_reload),
    row<input_file, &options::catalog, &catalog_options::uri_file>("catalog.uri_file",
                                                                   by_reload),
    row<duration, &options::catalog, &catalog_options::refresh>("catalog.refresh", by_reload,
                                                                1'000, ms(hours{24})),
    row<number, &options::catalog, &catalog_options::max_chunks>("catalog.max_chunks",
                                                                 by_reload, 0, 10'000'000),
    row<address, &options::admin>("admin.listen", at_restart),
    row<on_or_off, &options::admin_page>("admin.page", at_restart),
    row<address_or_none, &options::admin_page_listen>("admin.page_listen", at_restart),
    row<duration, &options::admin_access, &admin_access_options::resolved_after>(
        "admin.resolved_after", at_restart, 1'000, ms(hours{24 * 7})),
    row<word<tap_words>, &options::admin_access, &admin_access_options::tap>("admin.tap",
                                                                             by_reload),
    row<set_by<set_link_template>, &options::admin_access, &admin_access_options::grafana_link>(
        "admin.grafana_link", by_reload),
    or_list(row<set_by<set_admin_hosts>, &options::admin_access, &admin_access_options::hosts>(
        "admin.hosts", by_reload)),
    row<input_file, &options::admin_access, &admin_access_options::token_file>(
        "admin.token_file", by_reload),
    row<input_file, &options::admin_access, &admin_access_options::tls,
        &net::client_tls_options::cert_file>("admin.tls.cert_file", by_reload),
    row<input_file, &options::admin_access, &admin_access_options::tls,
        &net::client_tls_options::key_file>("admin.tls.key_file", by_reload),
    or_list(row<set_by<set_accepted_comments>, &options::comments, &comment_options::accept>(
        "comments.accept", by_reload)),
    row<number, &options::max_namespaces>("metrics.max_namespaces", at_restart, 1, 20'000),
    row<set_by<set_file>, &options::audit, &audit_options::file>("audit.file", at_restart),
    row<duration, &options::audit, &audit_options::interval>("audit.interval", by_reload, 100,
                                                             ms(hours{24})),
    row<always_redacted>("audit.values", at_restart),
    row<number, &options::audit, &audit_options::max_shapes>("audit.max_shapes", at_restart, 1,
                                                             1'000'000),
    row<set_by<set_own_file>, &options::state, &state_options::file>("state.file", at_restart),
    row<duration, &options::state, &state_options::interval>("state.interval", at_restart,
                                                             1'000, ms(hours{24})),
    row<set_by<set_fleet_name>, &options::fleet, &fleet_options::name>("fleet.name",
                                                                       at_restart),
    row<input_file, &options::fleet, &fleet_options::uri_file>("fleet.uri_file", at_restart),
    row<set_by<set_database>, &options::fleet, &fleet_options::database>("fleet.database",
                                                                         at_restart),
    row<duration, &options::fleet, &fleet_options::interval>("fleet.interval", at_restart,
                                                             1'000, ms(hours{24})),
    row<number, &options::fleet, &fleet_options::logical_shards>("fleet.logical_shards",
                                                                 at_restart, 1, 10'000),
    row<duration, &options::fleet, &fleet_options::retain>("fleet.retain", at_restart,
                                                           ms(hours{1}), ms(hours{24 * 365})),
    row<on_or_off, &options::fleet, &fleet_options::read>("fleet.read", at_restart),
    row<set_by<set_file>, &options::log, &log_options::file>("log.file", at_restart),
    row<set_by<set_level>, &options::log, &log_options::level>("log.level", by_reload),
    row<on_or_off, &options::log, &log_options::ready_line>("log.ready_line", at_restart),
    row<number, &options::limits, &limit_options::connections>("limits.connections", by_reload,
                                                               1, 1'000'000),
    row<number, &options::limits, &limit_options::connections_per_address>(
        "limits.connections_per_address", by_reload, 0, 1'000'000),
    row<duration_or_zero, &options::limits, &limit_options::first_message>(
        "limits.first_message", by_reload, 100, ms(hours{24})),
    row<duration_or_zero, &options::limits, &limit_options::message>(
        "limits.message", by_reload, 100, ms(hours{24})),
    row<duration_or_zero, &options::limits, &limit_options::idle>("limits.idle", by_reload, 100,
                                                                  ms(hours{24})),
    row<duration, &options::limits, &limit_options::quiet>("limits.quiet", by_reload, 1'000,
                                                           ms(hours{24 * 7})),
    row<on_or_off, &options::limits, &limit_options::trust_clients>("limits.trust_clients",
                                                                    by_reload),
    row<bytes, &options::limits, &limit_options::message_bytes>(
        "limits.message_size", by_reload, 64ULL << 10, wire::limits::max_message_bytes),
    row<size, &options::limits, &limit_options::memory_bytes>("limits.memory", at_restart,
                                                              1ULL << 20, 1ULL << 40),
    row<duration_or_zero, &options::failover, &failover_options::check_interval>(
        "failover.check_interval", at_restart, 100, ms(hours{24})),
    row<duration, &options::failover, &failover_options::check_timeout>(
        "failover.check_timeout", at_restart, 100, ms(minutes{1})),
    row<number, &options::failover, &failover_options::fall>("failover.fall", at_restart, 1,
                                                             100),
    row<number, &options::failover, &failover_options::rise>("failover.rise", at_restart, 1,
                                                             100),
    row<duration_or_zero, &options::failover, &failover_options::no_reply>(
        "failover.no_reply", at_restart, 100, ms(hours{24})),
    row<duration_or_zero, &options::failover, &failover_options::return_after>(
        "failover.return_after", by_reload, 100, ms(hours{24})),
    row<set_by<set_socket>, &options::handover, &handover_options::socket>("handover.socket",
                                                                           at_restart),
    row<word<sample_words>, &options::verify, &verify_options::samples>("verify.samples",
                                                                        at_restart),
    row<on_or_off, &options::verify, &verify_options::self_check>("verify.self_check",
                                                                  at_restart),
    row<duration, &options::verify, &verify_options::interval>("verify.interval", at_restart,
                                                               100, ms(hours{24})),
    row<input_file, &options::verify, &verify_options::uri_file>("verify.uri_file", at_restart),
    row<on_or_off, &options::advise, &advise_options::sketch>("advise.sketch", at_restart),
    row<set_by<set_own_file>, &options::advise, &advise_options::salt_file>("advise.salt_file",
                                                                            at_restart),
    row<duration, &options::drain_grace>("drain.grace", by_reload, 0, ms(hours{24})),
    row<one_of<word_forward, word_reject>, &options::reject_uninspected>("on_uninspected",
                                                                         by_reload),
    row<word<reload_words>, &options::reload>("reload", by_reload),
});

constexpr std::uint16_t mongos_port = 27017;
constexpr std::size_t max_upstreams = 64;
constexpr words_of<upstream_choice> choice_words{
    "expected spread, listed or connections",
    {
        {upstream_choice::spread, "spread"},
        {upstream_choice::listed, "listed"},
        {upstream_choice::connections, "connections"},
    }};

text::result<void> set_upstream(listener_options& to, std::string_view text,
                                const listener_setting&) {
  listener_options made;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    std::string_view one = text.substr(begin, comma - begin);
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
    if (auto set = add_upstream(made, one); !set) return set;
    begin = comma + 1;
  }
  to.upstream = std::move(made.upstream);
  return {};
}

std::string show_upstream(const listener_options& from) {
  std::string text;
  for (const net::endpoint& one : from.upstream) {
    text += (text.empty() ? "" : ",") + to_string(one);
  }
  return text;
}

constexpr std::string_view word_off = "off";
constexpr std::string_view word_v2 = "v2";

text::result<void> set_server_name(std::string& to, std::string_view text) {
  if (!net::is_host(text))
    return text::failure("expected a host's name or address, without a port");
  to = text;
  return {};
}

template <typename Section>
Section& made_in(std::optional<Section>& section) {
  return section ? *section : section.emplace();
}

// Switches a section on or off. `on` keeps the section's existing values.
template <auto Section>
text::result<void> switch_section(listener_options& to, std::string_view text,
                                  const listener_setting&) {
  bool on = false;
  if (auto set = set_switch(on, text); !set) return set;
  if (on) {
    made_in(to.*Section);
  } else {
    (to.*Section).reset();
  }
  return {};
}

template <auto Section>
std::string show_section(const listener_options& from) {
  return std::string{show_switch((from.*Section).has_value())};
}

// Sets the text `Member` in the optional `Section`. An invalid value doesn't create the
// section.
template <auto Section, auto Member, auto Set>
text::result<void> set_in(listener_options& to, std::string_view text,
                          const listener_setting&) {
  std::string value;
  if (auto set = Set(value, text); !set) return set;
  made_in(to.*Section).*Member = std::move(value);
  return {};
}

template <auto Section, auto Member>
std::string show_in(const listener_options& from) {
  return from.*Section ? (*(from.*Section)).*Member : std::string{};
}

template <auto Section, auto Member>
constexpr listener_setting file_in(std::string_view section, std::string_view key) {
  return {.section = section,
          .key = key,
          .read = set_in<Section, Member, set_input_file>,
          .show = show_in<Section, Member>,
          .when = by_reload,
          .names_file = is_given};
}

using client_tls = net::client_tls_options;
using server_tls = net::upstream_tls_options;
constexpr auto tls = &listener_options::tls;
constexpr auto upstream_tls = &listener_options::upstream_tls;

template <typename Kind, auto Member>
constexpr listener_setting listener_row(std::string_view key, applied when) {
  return {.section = "",
          .key = key,
          .read = [](listener_options& to, std::string_view text,
                     const listener_setting& of) { return Kind::set(to.*Member, text, of); },
          .show = [](const listener_options& from) { return Kind::show(from.*Member); },
          .when = when};
}

template <auto Section>
constexpr listener_setting section_row(std::string_view key) {
  return {.section = "",
          .key = key,
          .read = switch_section<Section>,
          .show = show_section<Section>,
          .when = by_reload};
}

constexpr auto all_listener_settings = std::to_array<listener_setting>({
    listener_row<address, &listener_options::listen>("listen", at_restart),
    {.section = "",
     .key = "upstream",
     .read = set_upstream,
     .show = show_upstream,
     .when = by_reload},
    listener_row<word<choice_words>, &listener_options::choice>("upstream_choice", by_reload),
    section_row<tls>("tls"),
    file_in<tls, &client_tls::cert_file>("tls", "cert_file"),
    file_in<tls, &client_tls::key_file>("tls", "key_file"),
    file_in<tls, &client_tls::client_ca_file>("tls", "client_ca_file"),
    section_row<upstream_tls>("upstream_tls"),
    file_in<upstream_tls, &server_tls::ca_file>("upstream_tls", "ca_file"),
    file_in<upstream_tls, &server_tls::cert_file>("upstream_tls", "cert_file"),
    file_in<upstream_tls, &server_tls::key_file>("upstream_tls", "key_file"),
    {.section = "upstream_tls",
     .key = "server_name",
     .read = set_in<upstream_tls, &server_tls::server_name, set_server_name>,
     .show = show_in<upstream_tls, &server_tls::server_name>,
     .when = by_reload},
    listener_row<one_of<word_off, word_v2>, &listener_options::proxy_protocol>("proxy_protocol",
                                                                               by_reload),
});

template <typename Table>
auto find_in(const Table& table, std::string_view section, std::string_view key) noexcept {
  const auto found = std::ranges::find_if(
      table, [&](const auto& one) { return one.section == section && one.key == key; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

std::span<const setting> settings() noexcept {
  return all_settings;
}

const setting* find_setting(std::string_view section, std::string_view key) noexcept {
  return find_in(all_settings, section, key);
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

std::span<const listener_setting> listener_settings() noexcept {
  return all_listener_settings;
}

const listener_setting* find_listener_setting(std::string_view section,
                                              std::string_view key) noexcept {
  return find_in(all_listener_settings, section, key);
}

text::result<void> add_upstream(listener_options& to, std::string_view text) {
  const auto address = net::parse_endpoint(text, mongos_port);
  if (!address) return text::failure(std::string{expected_address});
  if (!address->is_unix() && address->port == 0)
    return text::failure("an upstream's port must not be 0");
  if (std::find(to.upstream.begin(), to.upstream.end(), *address) != to.upstream.end()) {
    return text::failure("this upstream is given twice");
  }
  if (to.upstream.size() == max_upstreams) {
    return text::failure("more than " + std::to_string(max_upstreams) + " upstreams");
  }
  to.upstream.push_back(*address);
  return {};
}

}  // namespace scattergate::config
