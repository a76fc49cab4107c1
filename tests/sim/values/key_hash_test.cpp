#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "sim/values/hashing.hpp"

namespace scattergate::sim {
namespace {

// Made with a separate implementation of the same description, by Python's hashlib.
TEST(key_hash, agrees_with_mongodb) {
  const object_id id{{0x50, 0x7f, 0x1f, 0x77, 0xbc, 0xf8, 0x6c, 0xd7, 0x99, 0x43, 0x90, 0x11}};
  const std::vector<std::pair<value, std::int64_t>> cases{
      {std::int32_t{0}, 4854801880128277513},
      {std::int32_t{1}, 5902408780260971510},
      {std::int32_t{2}, 848411777775835583},
      {std::int32_t{-1}, 1140205862565771219},
      {std::numeric_limits<std::int64_t>::min(), 4532067210535695462},
      {null{}, 2338878944348059895},
      {"abc", 8478485326885698097},
      {id, -3048436677993134862},
      {true, 6405873908747105701},
      {date{1000}, -5436004055469504372},
      {document{{"a", std::int32_t{1}}}, -8705610352600103477},
      {array{std::int32_t{1}}, 2057342063119257436},
      {min_key{}, 7961148599568647290},
      {max_key{}, 5504842513779440750},
      {undefined{}, 40158834000849533},
      {binary{0, "\xaa\xbb"}, -312156556800462918},
  };
  for (const auto& [content, hash] : cases) EXPECT_EQ(key_hash(content), hash);
}

TEST(key_hash, numbers_hash_by_their_whole_part) {
  EXPECT_EQ(key_hash(2.2), key_hash(std::int32_t{2}));
  EXPECT_EQ(key_hash(std::int64_t{2}), key_hash(std::int32_t{2}));
  EXPECT_EQ(key_hash(std::nan("")), key_hash(std::int32_t{0}));
  EXPECT_EQ(key_hash(1e300), key_hash(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(key_hash(-1e300), key_hash(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(key_hash(9223372036854775808.0),
            key_hash(std::numeric_limits<std::int64_t>::min()));
}

}  // namespace
}  // namespace scattergate::sim
