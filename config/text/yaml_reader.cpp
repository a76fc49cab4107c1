#include <algorithm>
#include <istream>
#include <streambuf>

#include <bson/bson.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "config/text/text_readers.hpp"

namespace scattergate::config {
namespace {

std::size_t line_of(const YAML::Mark& mark) {
  return mark.is_null() ? 1 : static_cast<std::size_t>(mark.line) + 1;
}

/// Builds a tree from yaml-cpp's events. Stops the parser by throwing yaml-cpp's own exception.
class tree_events final : public YAML::EventHandler {
 public:
  tree_builder builder;
  std::size_t document_line = 1;

  void OnDocumentStart(const YAML::Mark& mark) override { document_line = line_of(mark); }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "?", anchor);
    require(builder.scalar({}, true, line_of(mark)), mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw YAML::ParserException(mark, "aliases (*name) are not read");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_extras(mark, tag, anchor);
    require(builder.scalar(value, tag != "!", line_of(mark)), mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, node_kind::list);
  }
  void OnSequenceEnd() override { builder.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, node_kind::map);
  }
  void OnMapEnd() override { builder.close(); }

 private:
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            node_kind kind) {
    refuse_extras(mark, tag, anchor);
    if (builder.depth() == max_yaml_depth) {
      throw YAML::ParserException(mark, "nested too deeply");
    }
    require(builder.open(kind, line_of(mark)), mark);
  }

  static void require(bool within_budget, const YAML::Mark& mark) {
    if (!within_budget) throw YAML::ParserException(mark, "too many values in one file");
  }

  // yaml-cpp gives the tag "?" for plain scalars and "!" for quoted ones.
  static void refuse_extras(const YAML::Mark& mark, const std::string& tag,
                            YAML::anchor_t anchor) {
    if (anchor != 0) throw YAML::ParserException(mark, "anchors (&name) are not read");
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw YAML::ParserException(mark, "tags (!!name) are not read");
    }
  }
};

/// Lets yaml-cpp read the text without copying it.
class view_buffer final : public std::streambuf {
 public:
  explicit view_buffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // the get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

// Rejects bytes that YAML doesn't allow. yaml-cpp takes byte 4 for the end of the file and
// drops NULs, so part of a file would be ignored silently.
parse_result<void> check_bytes(std::string_view text) {
  const auto is_control = [](char byte) {
    const auto code = static_cast<unsigned char>(byte);
    return (code < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || code == 0x7f;
  };
  const auto bad = std::find_if(text.begin(), text.end(), is_control);
  if (bad != text.end()) {
    const auto line = std::count(text.begin(), bad, '\n') + 1;
    return parse_problem{static_cast<std::size_t>(line), "a control character"};
  }
  if (!bson_utf8_validate(text.data(), text.size(), false)) {
    return parse_problem{1, "not UTF-8"};
  }
  return {};
}

}  // namespace

parse_result<text_tree> parse_yaml(std::string_view text) {
  if (const auto checked = check_bytes(text); !checked) return checked.error();
  view_buffer buffer{text};
  std::istream stream{&buffer};
  tree_events events;
  try {
    YAML::Parser parser{stream};
    if (!parser.HandleNextDocument(events)) return text_tree{};
    text_tree parsed = events.builder.finish();
    if (parser.HandleNextDocument(events)) {
      return parse_problem{events.document_line, "more than one document in a file"};
    }
    return parsed;
  } catch (const YAML::Exception& bad) {
    return parse_problem{line_of(bad.mark), bad.msg};
  }
}

}  // namespace scattergate::config
