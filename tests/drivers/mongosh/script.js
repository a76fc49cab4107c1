// The script of operations in mongosh: mongosh URI --eval 'var leftOut = [...]' script.js
//
// Prints a line per step, its result as canonical Extended JSON or its error.

const textOf = (value) => EJSON.stringify(value, { relaxed: false });

function digest(cursor) {
  const found = require("crypto").createHash("sha256");
  let count = 0;
  while (cursor.hasNext()) {
    found.update(textOf(cursor.next()));
    count += 1;
  }
  return { count, sha256: found.digest("hex") };
}

function numbers(name, count = 100) {
  const documents = [];
  for (let i = 0; i < count; ++i) documents.push({ _id: i, half: i >> 1, text: `n${i}` });
  here.getCollection(name).insertMany(documents);
  return here.getCollection(name);
}

function bulk(c, ordered) {
  c.insertOne({ _id: 1 });
  let outcome;
  try {
    outcome = c.bulkWrite([
      { insertOne: { document: { _id: 2 } } }, { insertOne: { document: { _id: 1 } } },
      { updateOne: { filter: { _id: 2 }, update: { $set: { a: 1 } } } },
      { updateMany: { filter: {}, update: { $set: { b: 1 } } } },
      { replaceOne: { filter: { _id: 3 }, replacement: { c: 1 }, upsert: true } },
      { deleteOne: { filter: { _id: 1 } } }], { ordered });
  } catch (error) {
    outcome = [error.code, error.message, (error.writeErrors ?? []).map((e) => [e.index, e.code])];
  }
  return [outcome, c.find().sort({ _id: 1 }).toArray()];
}

function transaction(name, end) {
  here.getCollection(name).insertOne({ _id: 0 });
  const session = here.getMongo().startSession();
  let inside;
  try {
    const c = session.getDatabase("drivers").getCollection(name);
    session.startTransaction();
    c.insertOne({ _id: 1 });
    c.updateOne({ _id: 0 }, { $set: { a: 1 } });
    inside = c.countDocuments({});
    end(session);
  } finally {
    session.endSession();
  }
  return [inside, here.getCollection(name).find().sort({ _id: 1 }).toArray()];
}

const here = db.getSiblingDB("drivers");
const steps = {
  insert_one: () => here.insert_one.insertOne({ _id: 1, a: "b" }),

  insert_many: () => {
    here.insert_many.insertMany([...Array(10).keys()].map((_id) => ({ _id })));
    return here.insert_many.find().sort({ _id: 1 }).toArray();
  },

  find: () => numbers("find").find({ half: { $gte: 10 } }, { text: 1 }).sort({ _id: -1 }).skip(2)
    .limit(5).toArray(),

  get_more: () => digest(numbers("get_more").find().batchSize(7).sort({ _id: 1 })),

  killed_cursor: () => {
    const cursor = numbers("killed_cursor").find().batchSize(5).sort({ _id: 1 });
    const seen = [];
    while (seen.length < 7) seen.push(cursor.next());
    cursor.close();
    return seen;
  },

  aggregate: () => numbers("aggregate").aggregate([
    { $match: { _id: { $lt: 40 } } },
    { $group: { _id: "$half", sum: { $sum: "$_id" } } },
    { $sort: { _id: 1 } }], { cursor: { batchSize: 3 } }).toArray(),

  update_one: () => [numbers("update_one").updateOne({ _id: 3 }, { $set: { text: "new" } }),
    here.update_one.findOne({ _id: 3 })],

  update_many: () => numbers("update_many").updateMany({ half: { $lt: 5 } }, { $inc: { half: 100 } }),

  replace_one: () => [numbers("replace_one").replaceOne({ _id: 4 }, { other: 1 }),
    here.replace_one.findOne({ _id: 4 })],

  upsert: () => [here.upsert.updateOne({ _id: 5 }, { $set: { a: 1 } }, { upsert: true }),
    here.upsert.find().toArray()],

  find_one_and_update: () => numbers("find_one_and_update")
    .findOneAndUpdate({ _id: 6 }, { $set: { text: "new" } }, { returnDocument: "after" }),

  delete_one: () => numbers("delete_one").deleteOne({ _id: 7 }),

  delete_many: () => numbers("delete_many").deleteMany({ half: { $gte: 25 } }),

  distinct: () => numbers("distinct", 12).distinct("half", { _id: { $gte: 4 } }),

  count_documents: () => numbers("count_documents").countDocuments({ half: { $lt: 10 } }),

  estimated_document_count: () => numbers("estimated_document_count").estimatedDocumentCount(),

  bulk_ordered: () => bulk(here.bulk_ordered, true),

  bulk_unordered: () => bulk(here.bulk_unordered, false),

  duplicate_key: () => {
    here.duplicate_key.insertOne({ _id: 1 });
    return here.duplicate_key.insertOne({ _id: 1 });
  },

  indexes: () => [here.indexes.createIndex({ a: 1, b: -1 }),
    here.indexes.createIndex({ c: 1 }, { unique: true, name: "only" }), here.indexes.getIndexes()],

  big_document: () => {
    here.big_document.insertOne({ _id: 1, text: "0123456789".repeat(500_000) });
    return digest(here.big_document.find());
  },

  many_documents: () => {
    here.many_documents.insertMany(
      [...Array(20_000).keys()].map((i) => ({ _id: i, text: `document ${i}` })));
    const found = here.many_documents.find().sort({ _id: 1 }).toArray();
    return [found.length, require("crypto").createHash("sha256").update(textOf(found)).digest("hex")];
  },

  unicode: () => {
    const c = here.getCollection("unicode_\u00fc");
    c.insertOne({ _id: "\u4e2d\u6587", "\u00e9": "\u{1f600} \u0000 end" });
    return c.find({ _id: "\u4e2d\u6587" }).toArray();
  },

  every_type: () => {
    here.every_type.insertOne({
      _id: ObjectId("0123456789abcdef01234567"), double: Double(1.5), infinite: Infinity,
      text: "text", document: { a: { b: [1, { c: null }] } }, array: [1, "2", [3]],
      binary: BinData(5, "AP8="), uuid: UUID("00000000-0000-0000-0000-000000000007"), yes: true,
      date: ISODate("2024-02-29T12:00:00Z"), old: ISODate("1901-01-01T00:00:00Z"), null: null,
      regex: /^a.b/i, code: Code("f()"), scoped: Code("f()", { x: 1 }), int: NumberInt(5),
      timestamp: Timestamp({ t: 9, i: 1 }), long: NumberLong("1099511627776"),
      decimal: NumberDecimal("1.10"), min: MinKey(), max: MaxKey() });
    return here.every_type.findOne();
  },

  unacknowledged: () => {
    for (let i = 0; i < 5; ++i) here.unacknowledged.insertOne({ _id: i }, { writeConcern: { w: 0 } });
    return here.unacknowledged.find().sort({ _id: 1 }).toArray();
  },

  session: () => {
    const session = here.getMongo().startSession({ causalConsistency: true });
    try {
      session.getDatabase("drivers").session.insertOne({ _id: 1 });
      const found = session.getDatabase("drivers").session.findOne({ _id: 1 });
      return [found, session.getOperationTime() != null];
    } finally {
      session.endSession();
    }
  },

  committed: () => transaction("committed", (session) => session.commitTransaction()),

  aborted: () => transaction("aborted", (session) => session.abortTransaction()),

  other_database: () => {
    const other = db.getSiblingDB("drivers_other");
    other.c.insertOne({ _id: 1 });
    return [other.c.findOne(), other.dropDatabase()];
  },

  sharded: () => {
    const c = db.getSiblingDB("yorkie-meta").documents;
    c.insertMany([...Array(20).keys()].map((i) => ({ _id: i, project_id: i % 3, key: `k${i}` })));
    return [c.find({ project_id: 1 }).sort({ _id: 1 }).toArray(), c.find({ key: "k5" }).toArray(),
      c.updateMany({ key: "k6" }, { $set: { a: 1 } }), c.deleteOne({ project_id: 2, _id: 5 })];
  },

  unknown_command: () => here.runCommand({ noSuchCommand: 1 }),

  unknown_operator: () => here.unknown_operator.find({ a: { $nope: 1 } }).toArray(),

  list_collections: () => here.getCollectionNames().sort(),

  list_databases: () => db.getMongo().getDBNames().sort(),

  drop: () => [here.find.drop(), here.getCollectionNames().includes("find"), here.dropDatabase(),
    here.getCollectionNames()],
};

for (const name of Object.keys(steps)) {
  if (leftOut.includes(name)) continue;
  let result;
  try {
    result = textOf(steps[name]());
  } catch (error) {
    result = `error ${error.code} ${error.message}`;
  }
  print(`${name}: ${result}`);
}
