#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "wire/command.hpp"

/// Commands made to be expensive. Each kind has a size, and once took time that grew faster
/// than it. Also the largest honest commands, which must be judged completely.
namespace scattergate::bench {

/// A command in an OP_MSG: a body, and the documents of one sequence.
/// Thread-safety: immutable.
class hostile_request {
 public:
  hostile_request(std::vector<std::byte> body, std::string_view sequence = {},
                  const std::vector<std::byte>& documents = {});

  [[nodiscard]] std::size_t size_bytes() const noexcept { return message_.size(); }
  /// Throws std::invalid_argument if there is none.
  [[nodiscard]] wire::command command() const;

 private:
  std::vector<std::byte> message_;
};

struct hostile_kind {
  const char* name;
  hostile_request (*make)(std::size_t count);
  std::size_t largest;  ///< the count with which it fills a message, or a document of one; for
                        ///< an honest one, how many must be judged completely
  bool is_honest = false;
};

[[nodiscard]] const std::vector<hostile_kind>& hostile_kinds();

}  // namespace scattergate::bench
