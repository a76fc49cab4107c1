#include "config/driver/srv_lookup.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <arpa/nameser.h>
#include <netdb.h>
#include <resolv.h>

#include "text/names.hpp"

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

}  // namespace scattergate::config
