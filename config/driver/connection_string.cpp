#include "config/driver/connection_string.hpp"

#include <algorithm>
#include <array>

#include "config/driver/native_client.hpp"
#include "text/names.hpp"

namespace scattergate::config {
namespace {

constexpr std::string_view hidden = "***";

/// Options with secret values, in lower case.
constexpr std::array<std::string_view, 3> secret_options = {"tlscertificatekeyfilepassword",
                                                            "sslclientcertificatekeypassword",
                                                            "authmechanismproperties"};

bool is_secret(std::string_view option) {
  return std::ranges::find(secret_options, text::lower_case(option)) != secret_options.end();
}

std::string hide_in_options(std::string_view options) {
  std::string shown;
  while (!options.empty()) {
    const std::size_t end = std::min(options.find_first_of("&;"), options.size());
    const std::string_view one = options.substr(0, end);
    const std::size_t equals = one.find('=');
    if (equals != one.npos && is_secret(one.substr(0, equals))) {
      shown.append(one.substr(0, equals + 1)).append(hidden);
    } else {
      shown.append(one);
    }
    if (end < options.size()) shown.push_back(options[end]);
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return shown;
}

}  // namespace

std::string hide_password(std::string_view uri) {
  if (uri.empty()) return {};
  const std::size_t scheme = uri.find("://");
  if (scheme == uri.npos) return std::string{hidden};  // unparsable: it may contain a secret
  std::string shown{uri.substr(0, scheme + 3)};
  std::string_view rest = uri.substr(scheme + 3);
  // A password that should have been encoded may contain any character, so the last @ counts.
  if (const std::size_t at = rest.rfind('@'); at != rest.npos) {
    const std::string_view user = rest.substr(0, at);
    const std::size_t colon = user.find(':');
    shown.append(user.substr(0, colon));
    if (colon != user.npos) shown.append(":").append(hidden);
    shown.push_back('@');
    rest.remove_prefix(at + 1);
  }
  const std::size_t question = std::min(rest.find('?'), rest.size());
  shown.append(rest.substr(0, question));
  if (question == rest.size()) return shown;
  return shown.append("?").append(hide_in_options(rest.substr(question + 1)));
}

std::string hide_passwords(std::string_view text) {
  constexpr std::string_view ends = " \t\r\n'\"";
  std::string shown;
  for (std::size_t at = text.find("mongodb"); at != text.npos; at = text.find("mongodb")) {
    shown.append(text.substr(0, at));
    text.remove_prefix(at);
    const std::string_view word =
        text.substr(0, std::min(text.find_first_of(ends), text.size()));
    const bool is_uri = word.starts_with("mongodb://") || word.starts_with("mongodb+srv://");
    const std::size_t size = is_uri ? word.size() : std::string_view{"mongodb"}.size();
    shown.append(is_uri ? hide_password(word) : std::string{text.substr(0, size)});
    text.remove_prefix(size);
  }
  return shown.append(text);
}

text::result<void> check_connection_string(const std::string& uri) {
  const auto read = read_limits(uri, {});
  if (!read) return text::failure(read.error().text);
  return {};
}

}  // namespace scattergate::config
