#include "config/driver/proxied_uri.hpp"

#include <algorithm>
#include <array>

#include "text/names.hpp"
#include "text/percent.hpp"

namespace scattergate::config {
namespace {

constexpr std::uint16_t default_port = 27017;
constexpr std::size_t max_uri_bytes = 64UL << 10;

std::string_view name_of(std::string_view option) {
  return option.substr(0, option.find('='));
}
std::string_view value_of(std::string_view option) {
  const std::size_t equals = option.find('=');
  return equals == option.npos ? std::string_view{} : option.substr(equals + 1);
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// What happens to a TLS option when the proxy takes over TLS, by the option's name in lower
/// case (specifications: uri-options; also the older names, which drivers still read).
enum class tls_part { on, ca, certificate, refused, dropped };
struct tls_option {
  std::string_view name;
  tls_part is;
};
constexpr std::array<tls_option, 16> known_tls_options = {{
    {"tls", tls_part::on},
    {"ssl", tls_part::on},
    {"tlscafile", tls_part::ca},
    {"sslcertificateauthorityfile", tls_part::ca},
    {"ssl_ca_certs", tls_part::ca},
    {"tlscertificatekeyfile", tls_part::certificate},
    {"sslclientcertificatekeyfile", tls_part::certificate},
    {"ssl_certfile", tls_part::certificate},
    {"tlscertificatekeyfilepassword", tls_part::refused},
    {"sslclientcertificatekeypassword", tls_part::refused},
    {"tlsinsecure", tls_part::refused},
    {"tlsallowinvalidcertificates", tls_part::refused},
    {"tlsallowinvalidhostnames", tls_part::refused},
    {"sslallowinvalidcertificates", tls_part::refused},
    {"tlsdisableocspendpointcheck", tls_part::dropped},
    {"tlsdisablecertificaterevocationcheck", tls_part::dropped},
}};

/// Options that only the SRV lookup needed.
constexpr std::array<std::string_view, 2> srv_options = {"srvmaxhosts", "srvservicename"};

bool is_true(std::string_view value) {
  return text::lower_case(value) == "true" || value == "1";
}

/// Moves the TLS options to the proxy.
class tls_mover {
 public:
  explicit tls_mover(proxied_uri& to) : to_(to) {}

  [[nodiscard]] text::result<void> move() {
    auto& options = to_.parts.options;
    std::erase_if(options, [this](const std::string& one) { return takes(one); });
    const bool is_on = said_.value_or(to_.parts.is_srv() || has_files_);
    if (is_on) to_.tls = made_;
    return moved_;
  }

 private:
  bool takes(const std::string& option) {
    const std::string name = text::lower_case(name_of(option));
    const auto* const known = std::ranges::find(known_tls_options, name, &tls_option::name);
    if (known == known_tls_options.end()) return false;
    const std::string value = text::percent_decoded(value_of(option));
    switch (known->is) {
      case tls_part::on:
        said_ = is_true(value);
        break;
      case tls_part::ca:
        made_.ca_file = value;
        has_files_ = true;
        break;
      case tls_part::certificate:
        made_.cert_file = value;
        has_files_ = true;
        break;
      case tls_part::refused:
        refuse(option, value);
        break;
      case tls_part::dropped:
        break;
    }
    return true;
  }

  void refuse(const std::string& option, const std::string& value) {
    const std::string name{name_of(option)};
    if (text::lower_case(name).ends_with("password")) {
      moved_ = text::problem{name, "not supported: the private key must not be encrypted"};
    } else if (is_true(value)) {
      moved_ = text::problem{name, "certificate checks can't be disabled; set tlsCAFile"};
    }
  }

  proxied_uri& to_;
  net::upstream_tls_options made_;
  text::result<void> moved_;
  std::optional<bool> said_;
  bool has_files_ = false;
};

/// Adds the options that a TXT record may have (specifications:
/// initial-dns-seedlist-discovery); the connection string's own take precedence.
void add_txt_options(uri_parts& to, const std::string& options) {
  for (const std::string& one : split(options, "&")) {
    const std::string name = text::lower_case(name_of(one));
    const bool is_allowed =
        name == "authsource" || name == "replicaset" || name == "loadbalanced";
    if (is_allowed && !to.option(name)) to.options.push_back(one);
  }
}

text::result<void> read_hosts(proxied_uri& to, const std::vector<std::string>& hosts) {
  for (const std::string& one : hosts) {
    const std::string decoded = text::percent_decoded(one);
    const bool is_socket = decoded.starts_with('/');
    const auto address =
        net::parse_endpoint(is_socket ? "unix:" + decoded : decoded, default_port);
    if (!address) return text::failure("not a host: '" + decoded + "'");
    to.upstream.push_back(*address);
  }
  if (to.upstream.empty()) return text::failure("it has no host");
  return {};
}

text::result<void> check_options(const uri_parts& parts, bool has_tls) {
  if (is_true(parts.option("loadBalanced").value_or(""))) {
    return text::problem{"loadBalanced=true",
                         "a load balancer port expects PROXY headers, and its drivers don't "
                         "ask what the server is; use the address of a mongos or mongod"};
  }
  const std::string mechanism = text::lower_case(parts.option("authMechanism").value_or(""));
  if (mechanism == "mongodb-x509") {
    return text::problem{"authMechanism=MONGODB-X509",
                         "the server would see the proxy's certificate in place of the "
                         "client's; use a password in tests"};
  }
  if (has_tls && !parts.option("proxyHost").value_or("").empty()) {
    return text::problem{"proxyHost", "a second proxy is not supported"};
  }
  return {};
}

}  // namespace

std::optional<std::string> uri_parts::option(std::string_view name) const {
  const std::string lower_name = text::lower_case(name);
  const auto found = std::ranges::find_if(options, [&](const std::string& one) {
    return text::lower_case(name_of(one)) == lower_name;
  });
  if (found == options.end()) return std::nullopt;
  return text::percent_decoded(value_of(*found));
}

bool is_mongo_uri(std::string_view text) noexcept {
  return text.starts_with("mongodb://") || text.starts_with("mongodb+srv://");
}

text::result<uri_parts> parse_uri(std::string_view text) {
  if (text.size() > max_uri_bytes) return text::failure("it is too long");
  if (!is_mongo_uri(text)) {
    return text::failure("it doesn't begin with mongodb:// or mongodb+srv://");
  }
  uri_parts parts;
  const std::size_t scheme = text.find("://");
  parts.scheme = text.substr(0, scheme);
  text.remove_prefix(scheme + 3);
  // "?" and "/" in a password are always encoded, and hosts contain no "@".
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  if (const std::size_t at = text.substr(0, end).rfind('@'); at != text.npos) {
    parts.userinfo = text.substr(0, at + 1);
    text.remove_prefix(at + 1);
  }
  const std::size_t hosts = std::min(text.find_first_of("/?"), text.size());
  parts.hosts = text.substr(0, hosts);
  text.remove_prefix(hosts);
  const std::size_t question = std::min(text.find('?'), text.size());
  parts.database = text.substr(0, question);
  if (question != text.size()) parts.options = split(text.substr(question + 1), "&;");
  if (parts.hosts.empty()) return text::failure("it has no host");
  if (parts.is_srv() && parts.hosts.find_first_of(",:") != std::string::npos) {
    return text::failure("mongodb+srv:// takes one name, without a port");
  }
  return parts;
}

text::result<proxied_uri> prepare_uri(uri_parts parts, const text::result<srv_answer>& srv) {
  proxied_uri made;
  made.parts = std::move(parts);
  const bool is_srv = made.parts.is_srv();
  if (const auto moved = tls_mover{made}.move(); !moved) return moved.error();
  if (is_srv) {
    if (!srv) return srv.error();
    add_txt_options(made.parts, srv->options);
    std::erase_if(made.parts.options, [](const std::string& one) {
      return std::ranges::find(srv_options, text::lower_case(name_of(one))) !=
             srv_options.end();
    });
  }
  const auto hosts = is_srv ? srv->hosts : split(made.parts.hosts, ",");
  if (const auto read = read_hosts(made, hosts); !read) return read.error();
  const auto checked = check_options(made.parts, made.tls.has_value());
  if (!checked) return checked.error();
  return made;
}

std::string proxied_uri::through(const net::endpoint& proxy, bool is_direct) const {
  std::string text = "mongodb://" + parts.userinfo + to_string(proxy);
  std::vector<std::string> options = parts.options;
  if (is_direct) {
    std::erase_if(options, [](const std::string& one) {
      return text::lower_case(name_of(one)) == "directconnection";
    });
    options.push_back("directConnection=true");
  }
  // Options need a slash before them, which the original may lack.
  text += parts.database.empty() && !options.empty() ? "/" : parts.database;
  for (std::size_t i = 0; i < options.size(); ++i) text += (i == 0 ? "?" : "&") + options[i];
  return text;
}

std::string proxied_uri::asking(const net::endpoint& one) const {
  std::string text = "mongodb://" +
                     (one.is_unix() ? text::percent_encoded(one.path) : to_string(one)) +
                     "/?directConnection=true";
  if (!tls) return text;
  text += "&tls=true";
  if (!tls->ca_file.empty()) text += "&tlsCAFile=" + text::percent_encoded(tls->ca_file);
  if (!tls->cert_file.empty())
    text += "&tlsCertificateKeyFile=" + text::percent_encoded(tls->cert_file);
  return text;
}

}  // namespace scattergate::config
