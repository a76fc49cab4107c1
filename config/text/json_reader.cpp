#include <boost/json/basic_parser_impl.hpp>

#include "config/text/text_readers.hpp"

namespace scattergate::config {
namespace {

namespace json = boost::json;

/// Builds a tree from Boost.JSON's events. Numbers stay text: the Extended JSON reader
/// determines their type.
struct tree_handler {
  using error = boost::system::error_code;

  static constexpr std::size_t max_object_size = tree_builder::max_nodes;
  static constexpr std::size_t max_array_size = tree_builder::max_nodes;
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  tree_builder builder;
  std::string pending;

  static bool within(bool budget, error& ec) {
    if (!budget) ec = json::error::array_too_large;
    return budget;
  }
  bool part(json::string_view text) {
    pending.append(text.data(), text.size());
    return true;
  }
  bool whole(json::string_view text, bool plain, error& ec) {
    part(text);
    const bool taken = within(builder.scalar(pending, plain, 1), ec);
    pending.clear();
    return taken;
  }

  bool on_document_begin(error&) { return true; }
  bool on_document_end(error&) { return true; }
  bool on_object_begin(error& ec) { return within(builder.open(node_kind::map, 1), ec); }
  bool on_object_end(std::size_t, error&) { return builder.close(), true; }
  bool on_array_begin(error& ec) { return within(builder.open(node_kind::list, 1), ec); }
  bool on_array_end(std::size_t, error&) { return builder.close(), true; }
  bool on_key_part(json::string_view text, std::size_t, error&) { return part(text); }
  bool on_key(json::string_view text, std::size_t, error& ec) { return whole(text, false, ec); }
  bool on_string_part(json::string_view text, std::size_t, error&) { return part(text); }
  bool on_string(json::string_view text, std::size_t, error& ec) {
    return whole(text, false, ec);
  }
  bool on_number_part(json::string_view text, error&) { return part(text); }
  bool on_int64(std::int64_t, json::string_view text, error& ec) {
    return whole(text, true, ec);
  }
  bool on_uint64(std::uint64_t, json::string_view text, error& ec) {
    return whole(text, true, ec);
  }
  bool on_double(double, json::string_view text, error& ec) { return whole(text, true, ec); }
  bool on_bool(bool value, error& ec) { return whole(value ? "true" : "false", true, ec); }
  bool on_null(error& ec) { return whole("null", true, ec); }
  bool on_comment_part(json::string_view, error&) { return true; }
  bool on_comment(json::string_view, error&) { return true; }
};

}  // namespace

parse_result<text_tree> parse_json(std::string_view text) {
  json::parse_options how;
  how.max_depth = max_json_depth;
  json::basic_parser<tree_handler> parser{how};
  boost::system::error_code ec;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), ec);
  if (ec) {
    return parse_problem{1,
                         "not JSON: " + ec.message() + " at byte " + std::to_string(used + 1)};
  }
  if (used != text.size()) {
    return parse_problem{
        1, "unexpected text after the JSON value at byte " + std::to_string(used + 1)};
  }
  return parser.handler().builder.finish();
}

}  // namespace scattergate::config
