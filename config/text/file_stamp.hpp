#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Detects that a file has changed, without reading its content.
namespace scattergate::config {

/// What the system says about a file at one point in time. If two stamps of a path differ, the
/// file may have changed. Symbolic links are followed, so a link that names another file
/// changes the stamp, too.
struct file_stamp {
  std::string path;
  int error = 0;  ///< the system's error if the file can't be found, otherwise 0
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  ///< when the content changed, in nanoseconds since 1970
  std::int64_t changed_ns = 0;   ///< when content, owner, mode or links changed
  friend bool operator==(const file_stamp&, const file_stamp&) = default;
};

/// The file's stamp now. Call it before the file is read: then a change during the read is
/// detected afterwards.
[[nodiscard]] file_stamp stamp_of(std::string path);

/// The files that were read for a configuration or a catalog, each as it was just before.
using files_read = std::vector<file_stamp>;

}  // namespace scattergate::config
