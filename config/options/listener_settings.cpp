#include <algorithm>
#include <array>

#include "config/options/setting_values.hpp"
#include "config/options/settings.hpp"

namespace scattergate::config {
namespace {

constexpr std::uint16_t mongos_port = 27017;
constexpr std::size_t max_upstreams = 64;
constexpr wire::label_table<upstream_choice> choice_words{{
    {upstream_choice::spread, "spread"},
    {upstream_choice::listed, "listed"},
    {upstream_choice::connections, "connections"},
}};

text::result<void> set_listen(listener_options& to, std::string_view text) {
  const auto address = net::parse_endpoint(text);
  if (!address) return text::failure(std::string{expected_address});
  to.listen = *address;
  return {};
}

text::result<void> set_upstream(listener_options& to, std::string_view text) {
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

text::result<void> set_proxy_protocol(listener_options& to, std::string_view text) {
  if (text != "off" && text != "v2") return text::failure("expected off or v2");
  to.proxy_protocol = text == "v2";
  return {};
}

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
text::result<void> switch_section(listener_options& to, std::string_view text) {
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
text::result<void> set_in(listener_options& to, std::string_view text) {
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
constexpr listener_setting file_setting(std::string_view section, std::string_view key) {
  return {section, key, set_in<Section, Member, set_input_file>, show_in<Section, Member>,
          [](std::string_view text) { return !text.empty(); }};
}

using client_tls = net::client_tls_options;
using server_tls = net::upstream_tls_options;
constexpr auto tls = &listener_options::tls;
constexpr auto upstream_tls = &listener_options::upstream_tls;

constexpr std::array<listener_setting, 13> all_listener_settings = {{
    {"", "listen", set_listen,
     [](const listener_options& from) { return to_string(from.listen); }},
    {"", "upstream", set_upstream, show_upstream},
    {"", "upstream_choice",
     [](listener_options& to, std::string_view text) {
       return set_word(to.choice, text, choice_words, "expected spread, listed or connections");
     },
     [](const listener_options& from) { return show_word(from.choice, choice_words); }},
    {"", "tls", switch_section<tls>, show_section<tls>},
    file_setting<tls, &client_tls::cert_file>("tls", "cert_file"),
    file_setting<tls, &client_tls::key_file>("tls", "key_file"),
    file_setting<tls, &client_tls::client_ca_file>("tls", "client_ca_file"),
    {"", "upstream_tls", switch_section<upstream_tls>, show_section<upstream_tls>},
    file_setting<upstream_tls, &server_tls::ca_file>("upstream_tls", "ca_file"),
    file_setting<upstream_tls, &server_tls::cert_file>("upstream_tls", "cert_file"),
    file_setting<upstream_tls, &server_tls::key_file>("upstream_tls", "key_file"),
    {"upstream_tls", "server_name",
     set_in<upstream_tls, &server_tls::server_name, set_server_name>,
     show_in<upstream_tls, &server_tls::server_name>},
    {"", "proxy_protocol", set_proxy_protocol,
     [](const listener_options& from) {
       return std::string{from.proxy_protocol ? "v2" : "off"};
     }},
}};

}  // namespace

std::span<const listener_setting> listener_settings() noexcept {
  return all_listener_settings;
}

const listener_setting* find_listener_setting(std::string_view section,
                                              std::string_view key) noexcept {
  const auto found = std::find_if(
      all_listener_settings.begin(), all_listener_settings.end(),
      [&](const listener_setting& one) { return one.section == section && one.key == key; });
  return found == all_listener_settings.end() ? nullptr : &*found;
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
