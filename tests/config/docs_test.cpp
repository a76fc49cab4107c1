#include <gtest/gtest.h>

#include "config/collection_reader.hpp"
#include "config/input.hpp"
#include "config/load.hpp"
#include "config/options_file.hpp"
#include "config/rule_reader.hpp"
#include "config/settings.hpp"
#include "config/text_readers.hpp"
#include "tests/config/temporary_folder.hpp"

namespace scattergate::config {
namespace {

std::string document(const std::string& name) {
  const file_content content =
      read_file(std::string{SCATTERGATE_DOCS_DIR} + "/" + name, max_config_bytes);
  EXPECT_EQ(content.error, "") << name;
  return content.text;
}

void expect_in(const std::string& text, const std::string& wanted) {
  EXPECT_NE(text.find(wanted), text.npos) << wanted;
}

// The first YAML example.
std::string example_of(const std::string& text) {
  const std::string fence = "```yaml\n";
  const std::size_t begin = text.find(fence) + fence.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

TEST(configuration_md, has_every_setting_with_its_variable_and_default) {
  const std::string text = document("configuration.md");
  for (const setting& one : settings()) {
    const std::string section{one.section};
    const std::string name = (section.empty() ? "" : section + ".") + std::string{one.key};
    const std::string row = "\n| `" + name + "` | `" + variable_of(one) + "` |";
    const std::size_t begin = text.find(row);
    ASSERT_NE(begin, text.npos) << row;
    const std::string line = text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
    const std::string usual = one.show(options{});
    expect_in(line, usual.empty() ? "| none |" : "| `" + usual + "` |");
  }
}

TEST(configuration_md, has_every_key_of_listeners_and_rules) {
  const std::string text = document("configuration.md");
  for (const std::string_view key : listener_keys()) {
    expect_in(text, "\n| `listeners[]." + std::string{key} + "` |");
  }
  for (const std::string_view key : rule_keys())
    expect_in(text, "`rules[]." + std::string{key});
  for (const std::string_view key : match_keys()) {
    expect_in(text, "\n| `rules[].match." + std::string{key} + "` |");
  }
}

TEST(configuration_md, shows_a_file_that_is_accepted) {
  const test::temporary_folder folder;
  flags given;
  given.config_file = folder.write("s.yaml", example_of(document("configuration.md")));
  const auto loaded = load_options(given, {}, purpose::run);
  for (const problem& one : loaded.problems) ADD_FAILURE() << to_string(one);
  EXPECT_EQ(loaded.value.rules.size(), 1U);
}

TEST(catalog_md, has_every_key_of_a_catalog_and_every_preset) {
  const std::string text = document("catalog.md");
  for (const char* key : {"schemaVersion", "version", "unlisted", "collections", "rules"}) {
    expect_in(text, "\n| `" + std::string{key} + "` |");
  }
  for (const std::string_view key : collection_keys()) {
    expect_in(text, "\n| `" + std::string{key} + "` |");
  }
  for (const std::string& name : preset_names()) expect_in(text, "\n| `preset:" + name + "` |");
}

TEST(catalog_md, shows_a_file_that_is_accepted) {
  const test::temporary_folder folder;
  const auto loaded = load_catalog(folder.write("c.yaml", example_of(document("catalog.md"))));
  for (const problem& one : loaded.problems) ADD_FAILURE() << to_string(one);
  ASSERT_TRUE(loaded.value);
  EXPECT_TRUE(loaded.value->find("shop", "orders")->is_sharded());
}

}  // namespace
}  // namespace scattergate::config
