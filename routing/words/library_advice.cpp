#include "routing/words/library_advice.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "routing/words/key_words.hpp"

namespace scattergate::routing {
namespace {

using id_condition = advice_facts::id_condition;

/// The form of a command by which a library is recognized.
enum class sent_form : std::uint8_t {
  find_by_id,
  find_by_ids,
  find_key_by_id,  ///< a find by _id that returns only the fields of the shard key
  save_by_id,      ///< updates or replaces one document
  save_with_type,  ///< the same, and the update has the field _t
  modify_by_id,    ///< findAndModify
  delete_by_id,
  write_by_ids,  ///< updates or deletes by a list of _ids
  any_by_id,     ///< any of the forms by one _id
  gridfs_check,
  gridfs_chunks,
  gridfs_file,  ///< chunks of one file, by the key {files_id: 1, n: 1}
  gridfs_index,
  session,
  batch_metadata,
};

/// A library and a form of its commands. In `advice`, $FIELDS stands for the key's fields
/// except _id in words, $OBJECT for them as in {customer: 1}, $STRINGS, $SYMBOLS, $PAIRS and
/// $KEYS for them in the syntax of Python and Java, Ruby, PHP and Morphia, and $NS for the
/// collection.
struct library_row {
  sent_form form;
  std::string_view driver;  ///< a part of the driver's name, in lower case; empty: any driver
  std::string_view advice;
  bool is_all = false;  ///< as in library_advice
};

/// The sources: the libraries' own code. Mongoose 9: plugins/sharding.js, populate; MongoEngine
/// 0.29: document.py, _object_key; Beanie 2: odm/documents.py; Spring Data MongoDB 4:
/// MongoTemplate, doSaveDocument; Prisma: mongodb-query-connector, update_records; Morphia 2.3:
/// "Sharding"; Doctrine MongoDB ODM 2: "Sharding"; Mongoid: shardable.rb; GridFS: the drivers'
/// specification. The first row that matches applies.
constexpr library_row rows[] = {
    {sent_form::gridfs_check, "",
     "if GridFS sent this check before it writes a file, accept it: the driver makes its "
     "filter, and it reads one document at most",
     true},
    {sent_form::gridfs_chunks, "",
     "if GridFS sent this, shard $NS by {files_id: 1, n: 1} or {files_id: 1}: GridFS finds "
     "chunks by files_id"},
    {sent_form::gridfs_file, "",
     "if GridFS sent this, accept it: it needs all chunks of a file, which are mostly on one "
     "shard",
     true},
    {sent_form::gridfs_index, "",
     "if GridFS creates this index, shard $NS by {files_id: 1, n: 1} or {files_id: 1}: GridFS "
     "needs the unique index {files_id: 1, n: 1}"},
    {sent_form::session, "spring",
     "if Spring Session sent this, shard $NS by _id: Spring Session finds a session by its _id "
     "alone"},
    {sent_form::batch_metadata, "spring",
     "if Spring Batch sent this, accept it, or keep $NS on one shard: Spring Batch makes the "
     "filter"},
    {sent_form::save_by_id, "mongoose",
     "if save() of a Mongoose document sent this, set shardKey: {$OBJECT} in the options of "
     "its schema"},
    {sent_form::delete_by_id, "mongoose",
     "if deleteOne() of a Mongoose document sent this, set shardKey: {$OBJECT} in the options "
     "of its schema"},
    {sent_form::modify_by_id, "mongoose",
     "if findByIdAndUpdate() or findByIdAndDelete() of Mongoose sent this, use "
     "findOneAndUpdate() or findOneAndDelete() with _id and $FIELDS"},
    {sent_form::find_by_id, "mongoose",
     "if findById() of Mongoose sent this, use findOne() with _id and $FIELDS"},
    {sent_form::find_by_ids, "mongoose",
     "if populate() of Mongoose sent this, put a condition on $FIELDS into its option match"},
    {sent_form::any_by_id, "mongoengine",
     "if save(), modify(), delete() or reload() of a MongoEngine document sent this, set "
     "\"shard_key\": ($STRINGS,) in the meta of its class"},
    {sent_form::any_by_id, "beanie",
     "if get(), save(), replace() or delete() of a Beanie document sent this, use find_one() "
     "with _id and $FIELDS instead, followed by update(), replace_one() or delete() for a "
     "write"},
    {sent_form::find_key_by_id, "spring",
     "if save() of a Spring Data entity sent this to read the present shard key, set "
     "immutableKey = true in the entity's @Sharded, provided that $FIELDS never changes"},
    {sent_form::save_by_id, "spring",
     "if save() of a Spring Data entity sent this, annotate its class with @Sharded(shardKey = "
     "{$STRINGS}), and with immutableKey = true if $FIELDS never changes"},
    {sent_form::find_by_id, "spring",
     "if findById() of a Spring Data repository sent this, declare and use a query method that "
     "also takes $FIELDS"},
    {sent_form::delete_by_id, "spring",
     "if delete() or deleteById() of Spring Data sent this, declare and use a delete method "
     "that also takes $FIELDS"},
    {sent_form::find_by_ids, "spring",
     "if findAllById() of a Spring Data repository sent this, declare and use a query method "
     "that also takes $FIELDS"},
    {sent_form::write_by_ids, "prisma",
     "if an update or delete of Prisma sent this, use $runCommandRaw() with _id and $FIELDS: "
     "Prisma itself reads the ids and writes by them alone"},
    {sent_form::any_by_id, "mongoid",
     "if save, update, destroy or reload of a Mongoid document sent this, declare shard_key "
     "$SYMBOLS in its class"},
    {sent_form::any_by_id, "doctrine-odm",
     "if Doctrine sent this for a document, annotate its class with #[ShardKey(keys: "
     "[$PAIRS])]"},
    {sent_form::save_with_type, "mongo-java-driver",
     "if save() of a Morphia entity sent this, annotate its class with @ShardKeys({$KEYS})"},
};

bool selects_by(const advice_facts& facts, std::string_view field) noexcept {
  const auto selected = std::span{facts.selected}.first(facts.selected_size);
  return std::ranges::find(selected, field) != selected.end();
}

/// Whether a find, update or delete selects one document by its _id alone.
bool is_by_id(sent_form form, const advice_facts& facts) noexcept {
  if (facts.by_id != id_condition::one) return false;
  const bool is_write = facts.kind == command_kind::update ||
                        facts.kind == command_kind::bulk_write ||
                        facts.kind == command_kind::find_and_modify;
  switch (form) {
    case sent_form::find_by_id:
      return facts.kind == command_kind::find;
    case sent_form::find_key_by_id:
      return facts.kind == command_kind::find && facts.asks_for_key;
    case sent_form::save_by_id:
      return is_write && facts.kind != command_kind::find_and_modify && !facts.is_of_many;
    case sent_form::save_with_type:
      return is_write && !facts.is_of_many && facts.has_type_tag;
    case sent_form::modify_by_id:
      return facts.kind == command_kind::find_and_modify;
    case sent_form::delete_by_id:
      return facts.kind == command_kind::delete_;
    default:
      return form == sent_form::any_by_id && (is_write || facts.kind == command_kind::find ||
                                              facts.kind == command_kind::delete_);
  }
}

bool has_form(sent_form form, const verdict& of, const advice_facts& facts) noexcept {
  const std::string_view collection = of.collection;
  const bool is_chunks = collection.ends_with(".chunks");
  const std::string_view first = of.judged->key.front().path;
  switch (form) {
    case sent_form::gridfs_check:
      return (is_chunks || collection.ends_with(".files")) && facts.asks_for_any;
    case sent_form::gridfs_chunks:
      return is_chunks && first != "files_id" && selects_by(facts, "files_id");
    case sent_form::gridfs_file:
      return is_chunks && first == "files_id" && selects_by(facts, "files_id") &&
             of.routing == routing_class::multi_shard;
    case sent_form::gridfs_index:
      return is_chunks && of.lint == lint_kind::unique_index_without_key;
    case sent_form::session:
      return collection == "sessions" && first != "_id" && facts.by_id == id_condition::one;
    case sent_form::batch_metadata:
      return collection.starts_with("BATCH_");
    case sent_form::find_by_ids:
      return facts.by_id == id_condition::several && facts.kind == command_kind::find;
    case sent_form::write_by_ids:
      return facts.by_id == id_condition::several &&
             (facts.kind == command_kind::update || facts.kind == command_kind::delete_);
    default:
      return is_by_id(form, facts);
  }
}

bool is_in(std::string_view part, std::string_view driver) {
  const auto is_same = [](char a, char b) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(a))) == b;
  };
  return !std::ranges::search(driver, part, is_same).empty() || part.empty();
}

/// The key's fields that the filter lacks, except _id, each as `before` + name + `after`.
std::string listed(std::span<const std::string> fields, std::string_view before,
                   std::string_view after, std::string_view between = ", ") {
  std::string text;
  for (const std::string& field : fields) {
    if (!text.empty()) text += between;
    text.append(before).append(field).append(after);
  }
  return text;
}

std::vector<std::string> fields_to_add(const verdict& of) {
  std::vector<std::string> fields;
  for (const key_field& field : of.judged->key) {
    if (field.path != "_id") fields.push_back(field.path);
  }
  return fields;
}

void replace_all(std::string& in, std::string_view what, std::string_view by) {
  for (auto at = in.find(what); at != in.npos; at = in.find(what, at + by.size())) {
    in.replace(at, what.size(), by);
  }
}

std::string object_of(std::span<const std::string> fields) {
  std::string text;
  for (const std::string& field : fields) {
    text += (text.empty() ? "" : ", ") + object_key(field) + ": 1";
  }
  return text;
}

/// The texts for the placeholders that stand for the key's fields.
struct field_text {
  std::string_view placeholder;
  std::string text;
};
using field_texts = std::array<field_text, 6>;

field_texts texts_of(std::span<const std::string> fields) {
  return {{
      {"$FIELDS", listed(fields, "", "", " and ")},
      {"$OBJECT", object_of(fields)},
      {"$STRINGS", listed(fields, "\"", "\"")},
      {"$SYMBOLS", listed(fields, ":", "")},
      {"$PAIRS", listed(fields, "\"", "\" => \"asc\"")},
      {"$KEYS", listed(fields, "@ShardKey(\"", "\")")},
  }};
}

}  // namespace

library_advice library_advice_for(const verdict& of, const advice_facts& facts,
                                  std::string_view driver) {
  const auto fields = fields_to_add(of);
  const field_texts texts = texts_of(fields);
  for (const library_row& row : rows) {
    if (!is_in(row.driver, driver) || !has_form(row.form, of, facts)) continue;
    const bool names_fields = std::ranges::any_of(texts, [&](const field_text& one) {
      return row.advice.find(one.placeholder) != row.advice.npos;
    });
    if (names_fields && fields.empty()) continue;
    std::string text{row.advice};
    for (const auto& [placeholder, by] : texts) replace_all(text, placeholder, by);
    replace_all(text, "$NS", of.judged->full_name());
    return {std::move(text), row.is_all};
  }
  return {};
}

}  // namespace scattergate::routing
