#pragma once

#include <string>
#include <string_view>

/// Connection strings, as mongo-c-driver reads them.
namespace scattergate::config {

/// One with what it hides left out: `mongodb://user:***@host/`. For logs and for
/// `scattergate config`.
[[nodiscard]] std::string hide_password(std::string_view uri);

/// What is wrong with one, without citing it; empty where it can be used.
[[nodiscard]] std::string why_unusable(const std::string& uri);

}  // namespace scattergate::config
