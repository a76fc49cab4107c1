#include "report/sources/recording.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/sources/source.hpp"
#include "tests/report/sources/kept.hpp"
#include "tests/support/json_document.hpp"
#include "tests/support/temporary_folder.hpp"
#include "wire/command.hpp"

namespace scattergate::report {
namespace {

template <typename Number>
void append(std::string& to, Number number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string op_msg(std::int32_t id, std::int32_t response_to, const std::string& json) {
  const tests::json_document document{json};
  const auto body = document.view().bytes();
  std::string made;
  append(made, static_cast<std::int32_t>(21 + body.size()));
  append(made, id);
  append(made, response_to);
  append(made, std::int32_t{2013});
  append(made, std::uint32_t{0});
  made += '\0';
  made.append(reinterpret_cast<const char*>(body.data()), body.size());
  return made;
}

/// A record of the newer form, as replay/README.md has it.
std::string with_event(std::uint8_t event, std::uint64_t offset_us,
                       const std::string& message) {
  std::string inside;
  append(inside, event);
  append(inside, std::uint64_t{5});
  inside += "10.0.0.7:4711";
  inside += '\0';
  append(inside, offset_us);
  append(inside, std::uint64_t{1});
  inside += message;
  std::string record;
  append(record, static_cast<std::uint32_t>(inside.size() + 4));
  return record + inside;
}

TEST(recording, reads_records_with_events_and_offsets) {
  const test::temporary_folder folder;
  const std::string content =
      with_event(0, 1'000, op_msg(1, 0, R"({"find":"c","filter":{"a":1},"$db":"d"})")) +
      with_event(1, 1'100, std::string(16, '\0')) +
      with_event(0, 3'500, op_msg(2, 1, R"({"ok":1})"));
  input from{folder.write("new.rec", content)};
  kept heard;
  source reading{from, std::nullopt};
  reading.read(heard, [](const input&) { return true; });
  EXPECT_EQ(reading.kind(), source_kind::recording);
  EXPECT_FALSE(reading.end().problem);
  ASSERT_EQ(heard.commands.size(), 1U);
  EXPECT_EQ(heard.commands[0].duration, std::chrono::microseconds{2'500});
  EXPECT_EQ(heard.commands[0].who.remote, "10.0.0.7");
}

TEST(recording, reports_what_came_before_a_damaged_record) {
  const test::temporary_folder folder;
  const std::string good = with_event(0, 1'000, op_msg(1, 0, R"({"find":"c","$db":"d"})"));
  for (const std::string& rest : {std::string("\x01\x00"), std::string(64, '\xff')}) {
    input from{folder.write("cut.rec", good + rest)};
    kept heard;
    EXPECT_TRUE(read_recording(from, heard, [](const input&) { return true; }).problem);
    EXPECT_EQ(heard.commands.size(), 1U);
  }
}

TEST(recording, is_known_by_its_first_record_only) {
  EXPECT_FALSE(is_recording(""));
  EXPECT_FALSE(is_recording(std::string(500, '\0')));
  EXPECT_FALSE(
      is_recording(R"({"find":"c","$db":"d","filter":{"a":1},"comment":"long enough"})"));
}

}  // namespace
}  // namespace scattergate::report
