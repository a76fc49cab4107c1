#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/query/matcher.hpp"
#include "sim/storage/index.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

class store;

/// The writes of one command or one transaction, to be committed or undone as a whole.
class unit_of_work {
 public:
  unit_of_work();
  unit_of_work(const unit_of_work&) = delete;
  unit_of_work& operator=(const unit_of_work&) = delete;
  /// Undoes what was not committed.
  ~unit_of_work();

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  void touch(std::shared_ptr<store> where, record_id which);
  void commit();
  void roll_back();

 private:
  std::uint64_t id_;
  std::vector<std::pair<std::shared_ptr<store>, record_id>> touched_;
};

/// A document on one shard. While a unit of work has changed it, others see the last committed
/// state, and their writes conflict.
struct record {
  document_ptr current;    ///< nullptr: deleted
  document_ptr committed;  ///< nullptr: didn't exist; meaningful while owned
  std::uint64_t owner = 0;
};

using found_record = std::pair<record_id, document_ptr>;

/// One collection's documents on one shard, with their indexes.
class store : public std::enable_shared_from_this<store> {
 public:
  explicit store(const std::vector<document>& index_specifications);

  /// Throw command_failure: duplicate_key, write_conflict.
  void insert(document_ptr content, unit_of_work& unit);
  void replace(record_id id, document_ptr content, unit_of_work& unit);
  void remove(record_id id, unit_of_work& unit);

  /// The matching documents, in order of arrival, at most `limit` (0: all), as `unit` sees
  /// them. `match` was made from `filter`.
  [[nodiscard]] std::vector<found_record> find(const document& filter, const matcher& match,
                                               const unit_of_work& unit,
                                               std::size_t limit = 0) const;

  /// The document as `unit` sees it; null if there is none.
  [[nodiscard]] document_ptr get(record_id id, const unit_of_work& unit) const;

  /// Documents that are not deleted, and their size as BSON.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::size_t size_bytes() const;

  /// Builds the index. Throws command_failure (duplicate_key), leaving nothing behind.
  void create_index(const document& specification);
  void drop_index(std::string_view name);

 private:
  friend class unit_of_work;
  void settle(record_id id, bool keep);
  record& owned(record_id id, const unit_of_work& unit);
  void check_unique(const document& content, record_id self, const unit_of_work& unit) const;
  void check_unique(const index& on, const document& content, record_id self,
                    std::uint64_t unit) const;
  void change(record_id id, document_ptr content, unit_of_work& unit);
  [[nodiscard]] bool narrow(const document& filter, std::set<record_id>& out) const;

  std::map<record_id, record> records_;
  std::vector<index> indexes_;
  record_id next_id_ = 1;
};

}  // namespace scattergate::sim
