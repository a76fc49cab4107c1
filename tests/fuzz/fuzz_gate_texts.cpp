#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/baseline/baseline.hpp"
#include "config/driver/proxied_uri.hpp"
#include "report/views/source_place.hpp"
#include "tests/fuzz/require.hpp"

/// Untrusted texts that the gate and the report read, besides commands; the first byte says
/// which: a baseline that is good comes back the same from what is written of it; a connection
/// string that leads through the proxy keeps its credentials and says nothing of TLS; a comment
/// never names a file outside of the repository; a name server's reply names hosts of its own
/// domain.
namespace {

using scattergate::fuzz::require;
using namespace scattergate;

void read_baseline(std::string_view text) {
  const auto read = config::read_baseline("b", text);
  if (!read.problems.empty()) return;
  const std::string written = to_yaml(read.value);
  const auto again = config::read_baseline("b", written);
  require(again.problems.empty() && again.value == read.value);
  require(to_yaml(again.value) == written);
}

void read_uri(std::string_view text) {
  const auto parsed = config::parse_uri(text);
  if (!parsed) return;
  const auto made =
      config::prepare_uri(*parsed, config::srv_answer{{"n.x.com:1"}, "authSource=a"});
  if (!made) return;
  require(!made->upstream.empty());
  const auto again = config::parse_uri(made->through({"127.0.0.1", 5, {}}, true));
  require(again && again->hosts == "127.0.0.1:5");
  require(again->userinfo == parsed->userinfo);
  require(!again->option("tls") && !again->option("ssl"));
  require(again->option("directConnection") == "true");
}

void read_comment(std::string_view text) {
  const auto place = report::place_in(text, {.root = "/repo"});
  if (!place) return;
  require(place->line != 0 && !place->path.empty() && place->path.front() != '/');
  require(("/" + place->path + "/").find("/../") == std::string::npos);
  require(
      std::ranges::none_of(place->path, [](unsigned char c) { return c < 0x20 || c == 0x7f; }));
}

void read_reply(std::string_view bytes) {
  const std::span reply{reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
  if (const auto read = config::read_srv_reply(reply, "c.x.com")) {
    for (const std::string& host : read->hosts) require(host.find(".x.com:") != host.npos);
  }
  static_cast<void>(config::read_txt_reply(reply));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  switch (*data) {
    case 'b':
      read_baseline(text);
      break;
    case 'u':
      read_uri(text);
      break;
    case 'c':
      read_comment(text);
      break;
    default:
      read_reply(text);
  }
  return 0;
}
