#include "app/daemon_source.hpp"

#include "app/admin_client.hpp"
#include "digest/sketches/stored_sketches.hpp"
#include "digest/stored.hpp"

namespace scattergate::app {
namespace {

constexpr std::chrono::seconds daemon_patience{30};

/// Checks that an answer has a usable body.
text::result<void> check_shapes(const admin_answer& answer) {
  if (answer.status_line.empty()) {
    return text::failure(answer.is_closed ? "no answer" : "no answer within 30 s");
  }
  if (answer.requires_token()) return text::failure(token_required);
  constexpr unsigned forbidden = 403;
  if (answer.status == forbidden) {
    return text::failure(
        "refuses its API: an address that isn't on loopback needs admin.tls and "
        "admin.token_file; or connect from the proxy's own network, by its loopback address");
  }
  if (!answer.is_good()) {
    return text::failure("answers " + answer.status_line + " (is admin.page off?)");
  }
  if (answer.is_too_large) return text::failure("sends more than 64 MiB");
  if (!answer.is_whole) return text::failure("no complete answer within 30 s");
  if (!digest::is_stored(answer.body)) {
    return text::failure("the reply isn't from scattergate");
  }
  return {};
}

}  // namespace

text::result<daemon_digest> read_daemon(std::string_view url,
                                        const admin_credentials& credentials,
                                        std::size_t max_rows) {
  const auto address = admin_address_of(url, credentials);
  if (!address) return address.error();
  const auto answer = get_from_admin(
      *address, "/api/v1/shapes?format=stored",
      digest::max_stored_bytes + digest::max_stored_sketches_bytes, daemon_patience);
  if (!answer) return answer.error();
  if (const auto checked = check_shapes(*answer); !checked) return checked.error();
  digest::stored_digest read = digest::read_stored(answer->body, max_rows);
  daemon_digest made{std::move(read.rows), answer->body.size(), std::move(read.end)};
  const std::string_view stored = digest::sketches_in(answer->body);
  auto sketches = digest::read_stored_sketches(stored);
  if (sketches) {
    made.sketches = *std::move(sketches);
  } else if (!stored.empty() && !made.end) {
    made.end = text::failure("its sketches can't be used: " + to_string(sketches.error()));
  }
  return made;
}

}  // namespace scattergate::app
