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

/// The writes of one command or transaction, which are committed or undone as a whole.
/// Thread-safety: one thread at a time.
class unit_of_work {
 public:
  /// Creates a unit without writes, with a new id.
  unit_of_work();
  unit_of_work(const unit_of_work&) = delete;
  unit_of_work& operator=(const unit_of_work&) = delete;
  /// Undoes all writes that weren't committed.
  ~unit_of_work();

  /// The unit's number; never 0.
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  /// Notes that the unit has changed a document. The store calls this.
  void touch(std::shared_ptr<store> where, record_id which);
  /// Makes all writes visible to other units of work.
  void commit();
  /// Undoes all writes that aren't committed.
  void roll_back();

 private:
  std::uint64_t id_;
  std::vector<std::pair<std::shared_ptr<store>, record_id>> touched_;
};

/// A document on one shard. While a unit of work (the owner) has an uncommitted change, other
/// units see the last committed state, and their writes fail (write_conflict).
struct record {
  document_ptr current;     ///< the state that the owner sees; null: deleted
  document_ptr committed;   ///< the last committed state; null: didn't exist. Valid only while
                            ///< there is an owner
  std::uint64_t owner = 0;  ///< the id of the unit with an uncommitted change; 0: none
};

/// A document with its number.
using found_record = std::pair<record_id, document_ptr>;

/// The documents of one collection on one shard, with their indexes. Thread-safety: one thread
/// at a time.
class store : public std::enable_shared_from_this<store> {
 public:
  /// Creates an empty store with these indexes.
  explicit store(const std::vector<document>& index_specifications);

  /// Inserts a document. Throws command_failure (duplicate_key, write_conflict).
  void insert(document_ptr content, unit_of_work& unit);
  /// Replaces a document. Throws command_failure (duplicate_key, write_conflict). REQUIRES:
  /// the document exists.
  void replace(record_id id, document_ptr content, unit_of_work& unit);
  /// Removes a document. Throws command_failure (write_conflict). REQUIRES: the document
  /// exists.
  void remove(record_id id, unit_of_work& unit);

  /// The documents that match, at most `limit` (0: all), in order of insertion, as `unit` sees
  /// them. REQUIRES: `match` was made from `filter`.
  [[nodiscard]] std::vector<found_record> find(const document& filter, const matcher& match,
                                               const unit_of_work& unit,
                                               std::size_t limit = 0) const;

  /// A document as `unit` sees it; null if it doesn't exist.
  [[nodiscard]] document_ptr get(record_id id, const unit_of_work& unit) const;

  /// The number of documents, including uncommitted changes.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The size of all documents as BSON, in bytes, including uncommitted changes.
  [[nodiscard]] std::size_t size_bytes() const;

  /// Creates an index. Throws command_failure (duplicate_key), and then changes nothing.
  void create_index(const document& specification);
  /// Drops the index named `name`; does nothing if there is none.
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
