#include "app/daemon_source.hpp"

#include "app/admin_client.hpp"
#include "digest/stored.hpp"

namespace scattergate::app {
namespace {

/// Of what is stored, and the head of the answer.
constexpr std::size_t max_answer_bytes = digest::max_stored_bytes + (64UL << 10);
constexpr std::chrono::seconds patience{30};

daemon_digest failed(std::string why) {
  return {digest::table{1}, 0, std::move(why)};
}

/// What is wrong with an answer before its body is looked at; empty: nothing.
std::string why_bad(const admin_answer& answer) {
  if (!answer.why_not.empty()) return answer.why_not;
  if (answer.status_line.empty())
    return answer.is_whole ? "no answer" : "no answer within 30 s";
  if (answer.wants_token()) return token_wanted;
  if (!answer.is_good()) return "answers " + answer.status_line + " (is admin.page off?)";
  if (answer.body.size() >= digest::max_stored_bytes) return "answers more than 64 MiB";
  if (!answer.is_whole) return "no whole answer within 30 s";
  return digest::is_stored(answer.body) ? "" : "answers, but not as scattergate does";
}

}  // namespace

daemon_digest read_daemon(std::string_view url, const admin_guard& guard,
                          std::size_t max_rows) {
  const admin_address address = admin_address_of(url, guard);
  if (!address.error.empty()) return failed(address.error);
  const admin_answer answer =
      get_from_admin(address, "/api/v1/shapes?format=stored", max_answer_bytes, patience);
  if (std::string why = why_bad(answer); !why.empty()) return failed(std::move(why));
  digest::stored_digest read = digest::read_stored(answer.body, max_rows);
  return {std::move(read.rows), answer.body.size(), std::move(read.error)};
}

}  // namespace scattergate::app
