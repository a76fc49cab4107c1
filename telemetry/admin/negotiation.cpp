#include "telemetry/admin/negotiation.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace scattergate::telemetry {
namespace {

/// A quality in thousandths: RFC 9110 permits at most three decimals (12.4.2).
using quality = int;
constexpr quality best = 1000;

/// Splits `text` at the first `at`: returns the part before it; `text` becomes the part after
/// it.
std::string_view cut(std::string_view& text, char at) noexcept {
  const std::size_t end = text.find(at);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  const std::size_t first = part.find_first_not_of(" \t");
  if (first == part.npos) return {};
  return part.substr(first, part.find_last_not_of(" \t") + 1 - first);
}

bool is_same_name(std::string_view a, std::string_view b) noexcept {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Parses "1", "0.5", "0.125"; std::nullopt for anything else.
std::optional<quality> quality_in(std::string_view text) noexcept {
  constexpr std::size_t longest = 5;
  if (text.empty() || text.size() > longest || (text[0] != '0' && text[0] != '1')) return {};
  if (text.size() > 1 && text[1] != '.') return {};
  quality sum = (text[0] - '0') * best;
  quality unit = best;
  for (const char digit : text.substr(std::min<std::size_t>(text.size(), 2))) {
    if (digit < '0' || digit > '9') return {};
    unit /= 10;
    sum += (digit - '0') * unit;
  }
  return std::min(sum, best);
}

/// An element of Accept or Accept-Encoding.
struct offer {
  std::string_view name;
  std::string_view version;
  quality liked = best;
};

offer offer_in(std::string_view element) noexcept {
  offer found{cut(element, ';'), {}, best};
  while (!element.empty()) {
    std::string_view value = cut(element, ';');
    const std::string_view name = cut(value, '=');
    value = cut(value, ';');
    if (is_same_name(name, "version")) found.version = value;
    if (is_same_name(name, "q")) found.liked = quality_in(value).value_or(0);
  }
  return found;
}

/// The quality of the first element for which `matches` is true; 0 if there is none.
template <typename Matches>
quality liking(std::string_view list, const Matches& matches) noexcept {
  while (!list.empty()) {
    const offer each = offer_in(cut(list, ','));
    if (matches(each)) return each.liked;
  }
  return 0;
}

quality liking_of(std::string_view list, std::string_view name) noexcept {
  return liking(list, [name](const offer& each) { return is_same_name(each.name, name); });
}

}  // namespace

std::string_view label(content_coding coding) noexcept {
  switch (coding) {
    case content_coding::gzip:
      return "gzip";
    case content_coding::zstd:
      return "zstd";
    case content_coding::identity:
      break;
  }
  return "identity";
}

exposition_format requested_format(std::string_view accept) noexcept {
  const quality openmetrics = liking(accept, [](const offer& each) {
    return is_same_name(each.name, "application/openmetrics-text") &&
           (each.version.empty() || each.version == "1.0.0");
  });
  const bool is_preferred = openmetrics != 0 && openmetrics >= liking_of(accept, "text/plain");
  return is_preferred ? exposition_format::openmetrics : exposition_format::text;
}

content_coding requested_coding(std::string_view accept_encoding) noexcept {
  const quality zstd = liking_of(accept_encoding, label(content_coding::zstd));
  const quality gzip = liking_of(accept_encoding, label(content_coding::gzip));
  if (zstd == 0 && gzip == 0) return content_coding::identity;
  return zstd >= gzip ? content_coding::zstd : content_coding::gzip;
}

}  // namespace scattergate::telemetry
