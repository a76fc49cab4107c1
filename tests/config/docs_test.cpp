#include <gtest/gtest.h>

#include "config/catalog_file/collection_reader.hpp"
#include "config/options/load.hpp"
#include "config/options/rule_match.hpp"
#include "config/options/rule_reader.hpp"
#include "config/options/settings.hpp"
#include "config/text/input.hpp"
#include "config/text/text_readers.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/problem.hpp"

namespace scattergate::config {
namespace {

std::string document(const std::string& name) {
  return read_file(tests::source_folder() / "docs" / name, max_config_bytes).value();
}

void expect_in(const std::string& text, const std::string& expected) {
  EXPECT_NE(text.find(expected), text.npos) << expected;
}

// The first YAML example.
std::string example_of(const std::string& text) {
  const std::string fence = "```yaml\n";
  const std::size_t begin = text.find(fence) + fence.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

// Its row of the table: name, variable, flag, default, whether a reload changes it.
void expect_row(const std::string& text, const std::string& name, const std::string& variable,
                const std::string& usual, bool is_taken_over) {
  const std::string start = "\n| `" + name + "` | `" + variable + "` |";
  const std::size_t begin = text.find(start);
  ASSERT_NE(begin, text.npos) << start;
  const std::string row = text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
  expect_in(row, usual.empty() ? "| none" : "| `" + usual + "` |");
  expect_in(row, is_taken_over ? "| yes |" : "| no |");
}

TEST(configuration_md, has_every_setting_with_its_variable_default_and_reload) {
  const std::string text = document("configuration.md");
  for (const listener_setting& one : listener_settings()) {
    expect_row(text, "listeners[]." + name_of(one.section, one.key),
               variable_of(one.section, one.key), one.show(listener_options{}),
               one.when == applied::by_reload);
  }
  for (const setting& one : settings()) {
    const std::string name = name_of(one.section, one.key);
    expect_row(text, name, variable_of(one.section, one.key), one.show(options{}),
               one.when == applied::by_reload);
  }
  std::size_t rows = 0;
  for (std::size_t at = text.find("` | `SCATTERGATE_"); at != text.npos;
       at = text.find("` | `SCATTERGATE_", at + 1)) {
    ++rows;
  }
  EXPECT_EQ(rows, listener_settings().size() + settings().size());
}

TEST(configuration_md, has_every_key_of_rules) {
  const std::string text = document("configuration.md");
  for (const std::string_view key : rule_keys())
    expect_in(text, "`rules[]." + std::string{key});
  for (const std::string_view key : throttle_keys()) {
    expect_in(text, "\n| `rules[].throttle." + std::string{key} + "` |");
  }
  for (const std::string_view key : match_keys()) {
    expect_in(text, "\n| `rules[].match." + std::string{key} + "` |");
  }
}

TEST(configuration_md, shows_a_file_that_is_accepted) {
  const test::temporary_folder folder;
  for (const char* name : {"server.pem", "server.key", "mongos-ca.pem"})
    folder.write(name, "x");
  flags given;
  given.config_file = folder.write("s.yaml", example_of(document("configuration.md")));
  const auto loaded = load_options(given, {}, purpose::run);
  for (const text::problem& one : loaded.problems) ADD_FAILURE() << to_string(one);
  EXPECT_EQ(loaded.value.rules.size(), 1U);
  EXPECT_EQ(loaded.value.listeners.at(0).tls->key_file, folder.path_of("server.key"));
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
  for (const text::problem& one : loaded.problems) ADD_FAILURE() << to_string(one);
  ASSERT_TRUE(loaded.value);
  EXPECT_TRUE(loaded.value->find("shop", "orders")->is_sharded());
}

}  // namespace
}  // namespace scattergate::config
