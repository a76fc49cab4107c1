#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/query/matcher.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The number of a document within a collection on one shard. A later inserted document has a
/// higher number.
using record_id = std::uint64_t;

/// One index of a collection on one shard: maps key values to documents. A document with an
/// array in an indexed field has several keys. Text, geo and wildcard indexes exist, but
/// contain no keys.
class index {
 public:
  /// `specification`: an index as the command createIndexes has it: {v, key, name, unique,
  /// sparse, ...}. Throws command_failure if a path or the partialFilterExpression is invalid.
  explicit index(document specification);

  /// The key pattern, such as {a: 1, b: -1}.
  [[nodiscard]] const document& key() const;
  /// The index's name, such as "a_1_b_-1".
  [[nodiscard]] std::string name() const;
  /// Whether each key may belong to only one document.
  [[nodiscard]] bool is_unique() const noexcept { return unique_; }

  /// Whether every document has a key in the index, so that the index can be used for lookups.
  /// False for sparse, partial, text, geo and wildcard indexes.
  [[nodiscard]] bool is_complete() const noexcept;

  /// The keys that a document has in this index; empty if the index doesn't contain the
  /// document. Throws command_failure (bad_value) if there are too many keys.
  [[nodiscard]] std::vector<array> keys_of(const document& content) const;

  /// Adds the keys of a document.
  void add(const document& content, record_id id);
  /// Removes the keys of a document. `kept`: another version of the document, whose keys stay
  /// in the index; null: there is none.
  void remove(const document& content, record_id id, const document* kept);

  /// Finds the documents with a key that begins with `prefix`, and adds them to `out`.
  void find_prefix(const array& prefix, std::set<record_id>& out) const;
  /// The documents with exactly this key.
  [[nodiscard]] std::vector<record_id> find(const array& key) const;

 private:
  struct part {
    std::string name;
    std::vector<std::string> path;
  };
  using entry = std::pair<array, record_id>;
  struct entry_less {
    bool operator()(const entry& left, const entry& right) const noexcept {
      const auto order = compare(left.first, right.first);
      return order < 0 || (order == 0 && left.second < right.second);
    }
  };

  document specification_;
  std::vector<part> parts_;
  std::optional<matcher> partial_;
  std::set<entry, entry_less> entries_;
  bool unique_ = false;
  bool sparse_ = false;
  bool opaque_ = false;  ///< a text, geo or wildcard index, which has no keys
};

class store;

/// A change of a document or collection, as change streams report it.
struct data_change {
  std::string ns;
  std::string kind;       ///< the event's operationType, such as "insert"
  document_ptr before{};  ///< the document before the change; null: none
  document_ptr after{};   ///< the document after the change; null: none
  std::string to{};       ///< for a rename: the new namespace
  timestamp time{};       ///< the cluster time of the commit; state::record() sets it
};

/// A unit of work: the writes of one command or transaction, which are committed or undone as a
/// whole. Thread-safety: one thread at a time.
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
  /// Records that the unit has changed a document. The store calls this.
  void touch(std::shared_ptr<store> where, record_id which);
  /// Records a change for change streams.
  void note(data_change what) { changes_.push_back(std::move(what)); }
  /// Commits: makes all writes visible to other units of work. Returns the changes.
  std::vector<data_change> commit();
  /// Undoes all writes that aren't committed.
  void roll_back();

 private:
  std::uint64_t id_;
  std::vector<std::pair<std::shared_ptr<store>, record_id>> touched_;
  std::vector<data_change> changes_;
};

/// A document on one shard, with its uncommitted change. The unit of work with such a change is
/// the owner. Other units see the last committed state, and their writes fail (write_conflict).
struct record {
  document_ptr current;     ///< the state that the owner sees; null: deleted
  document_ptr committed;   ///< the last committed state; null: didn't exist. Valid only if
                            ///< `owner` isn't 0
  std::uint64_t owner = 0;  ///< the id of the unit of work with an uncommitted change; 0: none
};

/// A document with its number.
using found_record = std::pair<record_id, document_ptr>;

/// The documents of one collection on one shard, with their indexes. Thread-safety: one thread
/// at a time.
class store : public std::enable_shared_from_this<store> {
 public:
  /// Creates an empty store with these indexes.
  explicit store(const std::vector<document>& index_specifications);

  /// Inserts a document. Throws command_failure, for example duplicate_key or write_conflict.
  void insert(document_ptr content, unit_of_work& unit);
  /// Replaces a document. Throws command_failure, for example duplicate_key or write_conflict.
  /// REQUIRES: the document exists.
  void replace(record_id id, document_ptr content, unit_of_work& unit);
  /// Removes a document. Throws command_failure (write_conflict). REQUIRES: the document
  /// exists.
  void remove(record_id id, unit_of_work& unit);

  /// Returns the documents that match, as `unit` sees them, in order of insertion; at most
  /// `limit` (0: all). REQUIRES: `match` was made from `filter`.
  [[nodiscard]] std::vector<found_record> find(const document& filter, const matcher& match,
                                               const unit_of_work& unit,
                                               std::size_t limit = 0) const;

  /// A document as `unit` sees it; null if it doesn't exist.
  [[nodiscard]] document_ptr get(record_id id, const unit_of_work& unit) const;

  /// The number of documents. Uncommitted inserts and removals count, too.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The size of all documents as BSON, in bytes. Uncommitted changes count, too.
  [[nodiscard]] std::size_t size_bytes() const;

  /// Creates an index. Throws command_failure and changes nothing if the specification is
  /// invalid, or if the documents violate a unique index (duplicate_key).
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
