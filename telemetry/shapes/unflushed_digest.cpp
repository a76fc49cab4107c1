#include "telemetry/shapes/unflushed_digest.hpp"

#include "telemetry/shapes/row_bytes.hpp"

namespace scattergate::telemetry {

unflushed_digest::unflushed_digest(std::size_t max_rows, memory_budget& memory)
    : memory_(memory), max_rows_(max_rows), table_(0) {
  clear();
}

void unflushed_digest::make_room_for(const shape_delta& delta) {
  settle();
  row_ = nullptr;
  const shape_details& details = *delta.details;
  if (details.is_shared()) return;
  const digest::row_key key = details.row_key();
  const digest::row* const known = table_.find(key);
  const std::size_t growth = growth_by(delta, known == nullptr);
  if (!reserve(growth)) return;
  reserved_ = growth + (known == nullptr ? 0 : bytes_of(*known));
  digest::row& row = table_.row_of(key).of;
  row_ = &row;
  row.replace_if_worse(details.what);
  if (row.query_shape_hash.empty()) row.query_shape_hash = details.query_shape_hash;
  row.make_room_for(delta);
}

void unflushed_digest::count(const shape_delta& delta) noexcept {
  if (row_ == nullptr) return count_plainly(delta);
  table_.count(*row_, delta);
  settle();
}

/// Returns the unused part of what was reserved for the row.
void unflushed_digest::settle() noexcept {
  if (reserved_ == 0) return;
  release(reserved_ - (row_ == nullptr ? 0 : bytes_of(*row_)));
  reserved_ = 0;
}

void unflushed_digest::count_plainly(const shape_delta& delta) noexcept {
  const shape_details& details = *delta.details;
  const bool has_row = !details.is_shared() && table_.find(details.row_key()) != nullptr;
  if (!has_row) return table_.count_rowless(delta);
  table_.count_plainly(table_.row_of(details.row_key()).of, delta);
}

void unflushed_digest::clear() noexcept {
  settle();
  row_ = nullptr;
  table_ =
      digest::table{max_rows_, [this](const digest::row& gone) { release(bytes_of(gone)); }};
  release(held_);
}

bool unflushed_digest::reserve(std::size_t bytes) noexcept {
  if (!memory_.reserve(bytes, memory_.limit() / share_left)) return false;
  held_ += bytes;
  return true;
}

void unflushed_digest::release(std::size_t bytes) noexcept {
  held_ -= bytes;
  memory_.release(bytes);
}

}  // namespace scattergate::telemetry
