#include "fleet/sidecar_document.hpp"

#include <gtest/gtest.h>

#include "fleet/bson_parts.hpp"
#include "wire/bson_writer.hpp"

namespace scattergate::fleet {
namespace {

TEST(sidecar_document, that_another_has_written_has_defaults_and_short_texts) {
  wire::bson_writer to;
  to.int32("_id", 5);
  to.text("name", std::string(1UL << 20U, 'a'));
  to.text("waiting", "many");
  to.int64("dropped", -1);
  to.text("seenAt", "today");
  to.text("lastFlush", "none");
  const document stored = to.take();
  const sidecar_status read = read_sidecar(view_of(stored));
  EXPECT_EQ(read.uuid, "");
  EXPECT_EQ(read.name, std::string(1'000, 'a') + "...");
  EXPECT_EQ(read.waiting, 0U);
  EXPECT_EQ(read.dropped, 0U);
  EXPECT_EQ(read.seen_at, std::nullopt);
  EXPECT_EQ(read.flushes, 0U);
}

}  // namespace
}  // namespace scattergate::fleet
