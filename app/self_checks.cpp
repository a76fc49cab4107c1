#include "app/self_checks.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "config/input.hpp"
#include "config/mongo_client.hpp"

namespace scattergate::app {
namespace {

using client_result = config::mongo_result<std::unique_ptr<config::mongo_reader>>;

constexpr std::size_t max_uri_bytes = 64UL << 10;

/// How long a chunk's move may stay unknown to a live catalog: two of its refreshes.
constexpr std::chrono::seconds patience_with_live_catalog{60};

std::string percent_encoded(std::string_view path) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string text;
  for (const char byte : path) {
    const auto code = static_cast<unsigned char>(byte);
    text += '%';
    text += hex[code >> 4U];
    text += hex[code & 15U];
  }
  return text;
}

std::string uri_of(const config::endpoint& mongos) {
  const std::string host = mongos.is_unix() ? percent_encoded(mongos.path) : to_string(mongos);
  return "mongodb://" + host + "/";
}

/// Read anew for every connection: credentials may change.
client_result open(const config::options& options) {
  std::string uri = uri_of(options.listeners.front().upstream.front());
  if (!options.verify.uri_file.empty()) {
    const auto content = config::read_file(options.verify.uri_file, max_uri_bytes);
    if (!content.error.empty()) {
      return config::mongo_error{config::mongo_failure::bad_uri, 0,
                                 options.verify.uri_file + ": " + content.error};
    }
    uri = content.text.substr(0, content.text.find_first_of("\r\n"));
  }
  auto opened = config::mongo_client::open(uri, "scattergate self-check");
  if (!opened) return opened.error();
  return client_result{std::unique_ptr<config::mongo_reader>{std::move(*opened)}};
}

}  // namespace

std::unique_ptr<report::self_check> start_self_check(const config::options& options,
                                                     proxy::daemon& of) {
  if (!options.verify.self_check) return nullptr;
  const bool is_live = options.catalog.source == "mongos";
  return std::make_unique<report::self_check>(report::self_check::parts{
      of.checks(), [&of] { return of.catalog_now(); }, [options] { return open(options); },
      is_live ? patience_with_live_catalog : std::chrono::seconds{0}});
}

}  // namespace scattergate::app
