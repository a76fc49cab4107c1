#include "config/catalog_file/shard_key_text.hpp"

#include <optional>
#include <string>

#include "config/text/extended_json.hpp"
#include "config/text/text_readers.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

// Whether a field of a key pattern is "hashed"; false if it is 1 (of any numeric BSON type);
// std::nullopt if it is neither.
std::optional<bool> is_hashed(const wire::element& value) {
  if (value.as_int64() == 1) return false;
  if (value.is_string() && value.as_string() == "hashed") return true;
  return std::nullopt;
}

}  // namespace

text::result<std::vector<routing::key_field>> read_shard_key(const text_tree::node& value) {
  std::vector<routing::key_field> made;
  if (!value.is_map()) {
    return text::failure("shardKey must be a document such as {project_id: 1, _id: hashed}");
  }
  const auto pattern = bson_of(value);
  if (!pattern) return text::failure("shardKey: " + pattern.error().what);
  wire::document_reader fields{pattern->view()};
  for (wire::element field; fields.next(field);) {
    const auto hashed = is_hashed(field);
    const std::string path{field.key()};
    if (!hashed) {
      return text::failure("shardKey: field " + text::in_quotes(path) + " must be 1 or hashed");
    }
    made.push_back({path, *hashed});
  }
  if (made.empty()) {
    return text::failure("shardKey is empty; omit it if there is none");
  }
  return made;
}

text::result<std::vector<routing::key_field>> read_shard_key(std::string_view text) {
  const auto tree = parse_yaml(text);
  if (!tree) return text::failure(tree.error().what);
  if (tree->is_empty())
    return text::failure("expected a key such as {project_id: 1, _id: hashed}");
  return read_shard_key(tree->root());
}

}  // namespace scattergate::config
