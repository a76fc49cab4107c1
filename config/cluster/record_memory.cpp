#include "config/cluster/record_memory.hpp"

namespace scattergate::config {
namespace {

/// The overhead of a container and malloc per allocated entry.
constexpr std::size_t entry_bytes = 64;

/// The bytes that a mirror stores per collection in addition to its record: its name again, and
/// its use mark.
constexpr std::size_t tracked_bytes = 256;

std::size_t heap_of(const std::string& text) noexcept {
  static const std::size_t inside = std::string{}.capacity();
  return text.capacity() > inside ? text.capacity() + 1 : 0;
}

}  // namespace

std::size_t memory_of(const routing::collection& entry) noexcept {
  std::size_t bytes = sizeof entry + entry_bytes + heap_of(entry.database) +
                      heap_of(entry.name) + heap_of(entry.view_on) +
                      entry.view_pipeline.capacity() + entry.default_collation.capacity() +
                      entry.key.capacity() * sizeof(routing::key_field);
  for (const routing::key_field& field : entry.key) bytes += heap_of(field.path);
  if (entry.series)
    bytes += heap_of(entry.series->time_field) + heap_of(entry.series->meta_field);
  return bytes;
}

std::size_t memory_of(const collection_record& record) noexcept {
  return memory_of(record.made) + sizeof record.is + heap_of(record.why) + tracked_bytes +
         record.is.uuid.capacity() + record.is.epoch.capacity() + record.made.database.size() +
         record.made.name.size();
}

std::size_t memory_of(const view_record& record) noexcept {
  return memory_of(record.made) + sizeof record.why + heap_of(record.why);
}

std::size_t memory_of(const shard_record& record) noexcept {
  return sizeof record + entry_bytes + heap_of(record.id) + heap_of(record.host);
}

std::size_t memory_of(const database_record& record) noexcept {
  return sizeof record + entry_bytes + heap_of(record.name) + heap_of(record.primary);
}

std::size_t memory_of(const chunk_update& chunk) noexcept {
  return sizeof chunk + entry_bytes + heap_of(chunk.min) + heap_of(chunk.max) +
         heap_of(chunk.shard);
}

}  // namespace scattergate::config
