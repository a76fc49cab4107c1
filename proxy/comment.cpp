#include "proxy/comment.hpp"

#include "telemetry/utf8.hpp"
#include "wire/limits.hpp"

namespace scattergate::proxy {

std::string_view comment_of(const wire::command& command) noexcept {
  const auto field = wire::find_field(command.body, "comment");
  if (!field) return {};
  if (!field->is_string()) return field->is_document() ? "?object" : "?value";
  return telemetry::cut_utf8(field->as_string(), wire::limits::max_comment_bytes);
}

}  // namespace scattergate::proxy
