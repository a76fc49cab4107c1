#include <cstdio>
#include <string>
#include <string_view>

#include "app/admin_client.hpp"
#include "app/subcommands.hpp"
#include "app/terminal.hpp"

namespace scattergate::app {
namespace {

constexpr std::chrono::seconds health_patience{3};  // for the whole request
constexpr std::size_t max_reply_bytes = 4096;

int not_ready(const std::string& where, std::string_view why) {
  // Removes the line end. The answer may be any text, because another program may listen there.
  const auto line = why.substr(0, why.find_last_not_of("\r\n") + 1);
  write_line(stderr, where + ": " + std::string{line});
  return 1;
}

}  // namespace

int health(const config::flags& given) {
  const auto loaded =
      config::load_options(given, config::process_environment(), config::purpose::inspect);
  if (const int status = report(loaded.problems); status != 0) return status;
  const std::string where = to_string(loaded.value.admin);
  const bool has_tls = !loaded.value.admin_access.tls.cert_file.empty();
  const auto answer = get_from_admin({loaded.value.admin, has_tls}, "/readyz", max_reply_bytes,
                                     health_patience);
  if (!answer) return not_ready(where, "not reachable");
  if (answer->is_good()) return 0;
  if (answer->status_line.empty()) return not_ready(where, "no answer");
  return not_ready(where, answer->body.empty() ? answer->status_line : answer->body);
}

}  // namespace scattergate::app
