#include "config/driver/proxied_uri.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <arpa/nameser.h>
#include <netdb.h>
#include <resolv.h>

#include "text/names.hpp"
#include "text/percent.hpp"

namespace scattergate::config {
namespace {

constexpr std::size_t max_reply_bytes = 64UL << 10;
constexpr int max_records = 1'000;

/// A name in lower case and without a trailing dot, for comparison.
std::string host_name(std::string_view text) {
  while (text.ends_with('.')) text.remove_suffix(1);
  return text::lower_case(text);
}

/// Whether a host is in the name's domain: the name without its first label; the whole name if
/// it has fewer than three labels.
bool is_in_domain_of(std::string_view name, std::string_view host) {
  const std::string whole = host_name(name);
  const bool is_short = std::ranges::count(whole, '.') < 2;
  const std::string domain = is_short ? "." + whole : whole.substr(whole.find('.'));
  const std::string found = host_name(host);
  return found.size() > domain.size() && found.ends_with(domain);
}

/// Visits the records of one type in a reply.
template <typename Visit>
bool for_each_record(std::span<const unsigned char> reply, ns_type type, Visit visit) {
  ns_msg message;
  if (ns_initparse(reply.data(), static_cast<int>(reply.size()), &message) != 0) return false;
  const int records = std::min<int>(ns_msg_count(message, ns_s_an), max_records);
  for (int i = 0; i < records; ++i) {
    ns_rr record;
    if (ns_parserr(&message, ns_s_an, i, &record) != 0) return false;
    if (ns_rr_type(record) == type && !visit(message, record)) return false;
  }
  return true;
}

std::vector<unsigned char> ask(const std::string& name, ns_type type, int& status) {
  std::vector<unsigned char> reply(max_reply_bytes);
  const int length =
      ::res_query(name.c_str(), ns_c_in, type, reply.data(), static_cast<int>(reply.size()));
  status = length < 0 ? h_errno : 0;
  reply.resize(length < 0 ? 0 : std::min(static_cast<std::size_t>(length), reply.size()));
  return reply;
}

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

text::result<srv_answer> read_srv_reply(std::span<const unsigned char> reply,
                                        std::string_view name) {
  srv_answer answer;
  std::optional<std::string> stray;  // a host in another domain
  const bool is_good =
      for_each_record(reply, ns_t_srv, [&](const ns_msg& in, const ns_rr& one) {
        constexpr std::size_t before_name = 6;  // priority, weight and port (RFC 2782)
        if (ns_rr_rdlen(one) <= before_name) return false;
        const unsigned char* const data = ns_rr_rdata(one);
        std::array<char, NS_MAXDNAME> host{};
        if (ns_name_uncompress(ns_msg_base(in), ns_msg_end(in), data + before_name, host.data(),
                               host.size()) < 0) {
          return false;
        }
        const std::string_view target{host.data()};
        if (!is_in_domain_of(name, target)) {
          stray = host_name(target);
          return true;
        }
        answer.hosts.push_back(host_name(target) + ":" + std::to_string(ns_get16(data + 4)));
        return true;
      });
  const auto failed = [name](std::string what) {
    return text::problem{std::string{name}, std::move(what)};
  };
  if (!is_good) return failed("can't parse the DNS reply");
  if (stray) return failed("the DNS reply is outside of its domain: " + *stray);
  if (answer.hosts.empty()) return failed("the DNS has no SRV record for it");
  std::ranges::sort(answer.hosts);
  return answer;
}

std::string read_txt_reply(std::span<const unsigned char> reply) {
  std::string text;
  int records = 0;
  const bool is_good = for_each_record(reply, ns_t_txt, [&](const ns_msg&, const ns_rr& one) {
    ++records;
    const unsigned char* at = ns_rr_rdata(one);
    const unsigned char* const end = at + ns_rr_rdlen(one);
    while (at != end) {  // strings of at most 255 bytes, to be concatenated (RFC 7208, 3.3)
      const std::size_t length = *at++;
      if (length > static_cast<std::size_t>(end - at)) return false;
      text.append(at, at + length);
      at += length;
    }
    return true;
  });
  return is_good && records == 1 ? text : std::string{};
}

text::result<srv_answer> look_up_srv(const std::string& name, const std::string& service) {
  int status = 0;
  const auto reply = ask("_" + service + "._tcp." + name, ns_t_srv, status);
  if (status != 0) {
    return text::problem{name, std::string{"no SRV record: "} + ::hstrerror(status)};
  }
  auto answer = read_srv_reply(reply, name);
  if (answer) answer->options = read_txt_reply(ask(name, ns_t_txt, status));
  return answer;
}

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
