#include "telemetry/admin/advice_answer.hpp"

#include <array>
#include <optional>
#include <string>

#include "telemetry/admin/api_answers.hpp"
#include "text/html_blocks.hpp"
#include "text/percent.hpp"
#include "text/time_text.hpp"
#include "text/utf8.hpp"
#include "wire/label_table.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::telemetry {
namespace {

using state = advice_service::state;

constexpr std::size_t most_name_bytes = 255;  // limit for a namespace (mongo: "Naming
                                              // Restrictions")

struct state_words {
  state is;
  unsigned status;
  std::string_view label;  ///< in JSON
  std::string_view text;   ///< for people
};

constexpr auto words = std::to_array<state_words>({
    {state::computing, 202, "computing", "The advice is being computed."},
    {state::done, 200, "done", ""},
    {state::too_much, 200, "tooMuch",
     "This collection has too many shapes for the page. Run: scattergate advise "
     "http://HOST:PORT --catalog ... --collection NS"},
    {state::not_seen, 404, "notSeen",
     "No commands on this collection have been seen, or it can't have a shard key of its "
     "own."},
    {state::failed, 503, "failed",
     "The advice could not be computed, usually for lack of memory. Try again later."},
    {state::busy, 503, "busy",
     "Other collections' advice is being computed. Try again in a few seconds."},
});
static_assert(wire::has_each_in_order(words, &state_words::is));

const state_words& words_of(state is) noexcept {
  return words[static_cast<std::size_t>(is)];
}

/// The namespace in the request's `?ns=`; std::nullopt if it is missing or invalid.
std::optional<std::string> collection_of(std::string_view target) {
  const std::string_view asked = text::query_parameter(target, "ns");
  if (asked.size() > 3 * most_name_bytes) return std::nullopt;
  std::string name = text::percent_decoded(asked);
  if (name.size() > most_name_bytes || !text::is_utf8(name)) return std::nullopt;
  if (!wire::namespace_view::of(name)) return std::nullopt;
  return name;
}

constexpr std::string_view expected_name = "expected ?ns=database.collection";

std::string page(std::string_view name, const advice_service::answer& made) {
  std::string html;
  text::append_page_head(html, "scattergate: which shard key");
  if (made.is == state::computing || made.is == state::busy) {
    html += R"(<meta http-equiv="refresh" content="1">)";
  }
  html +=
      R"(<link rel="icon" href="icon.svg"><link rel="stylesheet" href="page.css"></head><body>
<header><p><a href="./">scattergate</a></p><h1>Which shard key</h1></header>
<main id="advice">
)";
  if (made.is == state::done) {
    html += "<p class=\"dim\">Computed at " + text::time_text(made.at) +
            " from the commands that passed here, without their values. 3 shards, equal "
            "chunks. <code>scattergate advise</code> reads logs and packet captures, too, and "
            "takes keys of your own.</p>\n";
    html += made.html;
  } else {
    html += "<h2>" + text::html_text(name) + "</h2>\n<p role=\"status\">" +
            text::html_text(words_of(made.is).text) + "</p>\n";
  }
  html += "</main></body></html>\n";
  return html;
}

}  // namespace

admin_reply advice_reply(advice_service& from, std::string_view target) {
  const auto name = collection_of(target);
  if (!name) return refusal(bad_request, expected_name);
  const auto advice = from.ask(*name);
  const state_words& say = words_of(advice->is);
  if (say.status >= bad_request) return refusal(say.status, say.text);
  admin_reply made{.status = say.status, .content_type = "application/json", .body = {}};
  json_writer to{made.body};
  to.object();
  append_head(to, advice->at);
  to.text("ns", *name);
  to.text("state", say.label);
  if (advice->json.empty()) {
    to.null("advice");
  } else {
    to.raw("advice", std::string_view{advice->json}.substr(0, advice->json.size() - 1));
  }
  to.end();
  made.body += '\n';
  return made;
}

admin_reply advice_page(advice_service& from, std::string_view target) {
  const auto name = collection_of(target);
  if (!name) return refusal(bad_request, expected_name);
  const auto advice = from.ask(*name);
  return {.status = words_of(advice->is).status,
          .content_type = "text/html; charset=utf-8",
          .body = page(*name, *advice)};
}

}  // namespace scattergate::telemetry
