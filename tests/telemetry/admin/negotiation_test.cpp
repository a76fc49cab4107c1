#include <string>

#include <gtest/gtest.h>

#include "telemetry/admin/admin_pages.hpp"

namespace scattergate::telemetry {
namespace {

TEST(negotiation, gives_openmetrics_to_whom_names_it) {
  const struct {
    std::string_view accept;
    exposition_format expected;
  } cases[] = {
      {"", exposition_format::text},
      {"*/*", exposition_format::text},
      {"application/openmetrics-text", exposition_format::openmetrics},
      {"Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8",
       exposition_format::openmetrics},
      {"application/openmetrics-text;version=0.0.1", exposition_format::text},
      {"application/openmetrics-text;version=2.0.0", exposition_format::text},
      {"application/openmetrics-text;q=0", exposition_format::text},
      {"application/openmetrics-text;q=0.000", exposition_format::text},
      {"application/openmetrics-text;q=rather", exposition_format::text},
      // Prometheus 2.42, and 3.
      {"application/openmetrics-text;version=1.0.0,"
       "application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,"
       "*/*;q=0.1",
       exposition_format::openmetrics},
      {"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
       "application/openmetrics-text;version=0.0.1;q=0.4,"
       "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,"
       "*/*;q=0.1",
       exposition_format::openmetrics},
      {"text/plain;version=0.0.4, application/openmetrics-text;version=1.0.0;q=0.9",
       exposition_format::text},
      {"text/html, , ;q=1, application/openmetrics-text ; q=0.5",
       exposition_format::openmetrics},
  };
  for (const auto& [accept, expected] : cases)
    EXPECT_EQ(requested_format(accept), expected) << accept;
}

TEST(negotiation, compresses_for_whom_reads_it) {
  const struct {
    std::string_view accept_encoding;
    content_coding expected;
  } cases[] = {
      {"", content_coding::identity},
      {"identity", content_coding::identity},
      {"br, deflate", content_coding::identity},
      {"*", content_coding::identity},
      {"gzip", content_coding::gzip},
      {"GZIP;q=0.5", content_coding::gzip},
      {"gzip;q=0", content_coding::identity},
      {"gzip;q=0.0, zstd;q=0", content_coding::identity},
      {"gzip, zstd", content_coding::zstd},
      {"gzip, deflate, br, zstd", content_coding::zstd},
      {"gzip;q=1.0, zstd;q=0.9", content_coding::gzip},
      {"gzipped, xgzip", content_coding::identity},
      {"gzip;q=2", content_coding::identity},
      {"gzip;q=0.12345", content_coding::identity},
  };
  for (const auto& [accepted, expected] : cases) {
    EXPECT_EQ(requested_coding(accepted), expected) << accepted;
  }
}

TEST(negotiation, reads_the_longest_header_in_no_time) {
  std::string list;
  while (list.size() < 8192) list += ";,q=;\t ,";
  EXPECT_EQ(requested_format(list), exposition_format::text);
  EXPECT_EQ(requested_coding(list), content_coding::identity);
}

}  // namespace
}  // namespace scattergate::telemetry
