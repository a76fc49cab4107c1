#include <gtest/gtest.h>

#include "wire/command.hpp"
#include "wire/header.hpp"
#include "wire/reply.hpp"

namespace scattergate::wire {
namespace {

TEST(health_commands, are_complete_commands) {
  const struct {
    std::vector<std::byte> (*build)(std::int32_t);
    std::string_view name;
    std::string_view database;
  } rows[] = {{build_hello, "hello", "admin"},
              {build_shards_read, "find", "config"},
              {build_user_lookup, "hello", "admin"}};
  for (const auto& row : rows) {
    const auto message = row.build(7);
    const auto header = parse_header(std::span{message}.first<limits::header_bytes>());
    ASSERT_TRUE(header);
    EXPECT_EQ(header->request_id, 7);
    EXPECT_EQ(static_cast<std::size_t>(header->length), message.size());
    const auto command = parse_command(*header, message);
    ASSERT_TRUE(command) << row.name;
    EXPECT_EQ(command->name, row.name);
    EXPECT_EQ(command->database, row.database);
  }
}

}  // namespace
}  // namespace scattergate::wire
