// The script of operations by mongoose, through models and schemas as far as they go:
// script.mjs URI [steps to leave out...]
//
// Prints a line per step, its result as canonical Extended JSON or its error, and at last how
// often each command was sent, by the driver's own account.

import { createHash } from "node:crypto";
import mongoose from "mongoose";

const { Schema } = mongoose;
const { BSON, MongoError } = mongoose.mongo;
const mixed = Schema.Types.Mixed;

const textOf = (value) => BSON.EJSON.stringify(value, { relaxed: false });

async function digest(cursor) {
  const found = createHash("sha256");
  let count = 0;
  for await (const each of cursor) {
    found.update(textOf(each.toObject()));
    count += 1;
  }
  return { count, sha256: found.digest("hex") };
}

/** A model of documents of any fields, whose _id is of `idType`. */
function model(db, name, fields = {}, idType = Number) {
  const options = { strict: false, versionKey: false, autoIndex: false, autoCreate: false };
  return db.model(name, new Schema({ _id: idType, ...fields }, options), name);
}

async function numbers(db, name, count = 100) {
  const found = model(db, name, { half: Number, text: String });
  const documents = [];
  for (let i = 0; i < count; ++i) documents.push({ _id: i, half: i >> 1, text: `n${i}` });
  await found.insertMany(documents);
  return found;
}

async function bulk(Some, ordered) {
  await Some.create({ _id: 1 });
  let outcome;
  try {
    outcome = await Some.bulkWrite([
      { insertOne: { document: { _id: 2 } } }, { insertOne: { document: { _id: 1 } } },
      { updateOne: { filter: { _id: 2 }, update: { $set: { a: 1 } } } },
      { updateMany: { filter: {}, update: { $set: { b: 1 } } } },
      { replaceOne: { filter: { _id: 3 }, replacement: { c: 1 }, upsert: true } },
      { deleteOne: { filter: { _id: 1 } } }], { ordered });
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    outcome = [error.code, error.message, error.writeErrors.map((e) => [e.index, e.code])];
  }
  return [outcome, await Some.find().sort({ _id: 1 }).lean()];
}

async function transaction(db, name, end) {
  const Some = model(db, name, { a: Number });
  await Some.create({ _id: 0 });
  const session = await db.startSession();
  let inside;
  try {
    session.startTransaction();
    await Some.create([{ _id: 1 }], { session });
    await Some.updateOne({ _id: 0 }, { $set: { a: 1 } }, { session });
    inside = await Some.countDocuments({}, { session });
    await end(session);
  } finally {
    await session.endSession();
  }
  return [inside, await Some.find().sort({ _id: 1 }).lean()];
}

const steps = {
  insert_one: async (db) => (await model(db, "insert_one").create({ _id: 1, a: "b" })).toObject(),

  insert_many: async (db) => {
    const Some = model(db, "insert_many");
    await Some.insertMany([...Array(10).keys()].map((_id) => ({ _id })));
    return Some.find().sort({ _id: 1 }).lean();
  },

  find: async (db) => (await numbers(db, "find")).find({ half: { $gte: 10 } }, { text: 1 })
    .sort({ _id: -1 }).skip(2).limit(5).lean(),

  get_more: async (db) =>
    digest((await numbers(db, "get_more")).find().batchSize(7).sort({ _id: 1 }).cursor()),

  killed_cursor: async (db) => {
    const cursor = (await numbers(db, "killed_cursor")).find().sort({ _id: 1 }).lean()
      .cursor({ batchSize: 5 });
    const seen = [];
    while (seen.length < 7) seen.push(await cursor.next());
    await cursor.close();
    return seen;
  },

  aggregate: async (db) => (await numbers(db, "aggregate")).aggregate([
    { $match: { _id: { $lt: 40 } } },
    { $group: { _id: "$half", sum: { $sum: "$_id" } } },
    { $sort: { _id: 1 } }]).option({ batchSize: 3 }),

  update_one: async (db) => {
    const Some = await numbers(db, "update_one");
    const document = await Some.findById(3);
    document.text = "new";
    await document.save();
    return Some.findById(3).lean();
  },

  update_many: async (db) =>
    (await numbers(db, "update_many")).updateMany({ half: { $lt: 5 } }, { $inc: { half: 100 } }),

  replace_one: async (db) => {
    const Some = await numbers(db, "replace_one");
    return [await Some.replaceOne({ _id: 4 }, { other: 1 }), await Some.findById(4).lean()];
  },

  upsert: async (db) => {
    const Some = model(db, "upsert", { a: Number });
    return [await Some.updateOne({ _id: 5 }, { $set: { a: 1 } }, { upsert: true }),
      await Some.find().lean()];
  },

  find_one_and_update: async (db) => (await numbers(db, "find_one_and_update"))
    .findOneAndUpdate({ _id: 6 }, { $set: { text: "new" } }, { returnDocument: "after" }).lean(),

  delete_one: async (db) => (await numbers(db, "delete_one")).deleteOne({ _id: 7 }),

  delete_many: async (db) => (await numbers(db, "delete_many")).deleteMany({ half: { $gte: 25 } }),

  distinct: async (db) => (await numbers(db, "distinct", 12)).distinct("half", { _id: { $gte: 4 } }),

  count_documents: async (db) =>
    (await numbers(db, "count_documents")).countDocuments({ half: { $lt: 10 } }),

  estimated_document_count: async (db) =>
    (await numbers(db, "estimated_document_count")).estimatedDocumentCount(),

  bulk_ordered: async (db) => bulk(model(db, "bulk_ordered"), true),

  bulk_unordered: async (db) => bulk(model(db, "bulk_unordered"), false),

  duplicate_key: async (db) => {
    const Some = model(db, "duplicate_key");
    await Some.create({ _id: 1 });
    return Some.create({ _id: 1 });
  },

  indexes: async (db) => {
    const shape = new Schema({ a: Number, b: Number, c: Number }, { autoIndex: false });
    shape.index({ a: 1, b: -1 });
    shape.index({ c: 1 }, { unique: true, name: "only" });
    const Some = db.model("indexes", shape, "indexes");
    await Some.createIndexes();
    return Some.listIndexes();
  },

  big_document: async (db) => {
    const Some = model(db, "big_document");
    await Some.create({ _id: 1, text: "0123456789".repeat(500_000) });
    return digest(Some.find().cursor());
  },

  many_documents: async (db) => {
    const Some = model(db, "many_documents");
    await Some.insertMany([...Array(20_000).keys()].map((i) => ({ _id: i, text: `document ${i}` })),
      { lean: true });
    return digest(Some.find().sort({ _id: 1 }).cursor());
  },

  unicode: async (db) => {
    const Some = model(db, "unicode_\u00fc", {}, String);
    await Some.create({ _id: "\u4e2d\u6587", "\u00e9": "\u{1f600} \u0000 end" });
    return Some.find({ _id: "\u4e2d\u6587" }).lean();
  },

  every_type: async (db) => {
    const { Binary, Code, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } = mongoose.mongo;
    const Some = model(db, "every_type", {
      double: Number, text: String, document: mixed, array: [mixed], uuid: Schema.Types.UUID,
      yes: Boolean, date: Date, old: Date, decimal: Schema.Types.Decimal128, long: BigInt,
      map: { type: Map, of: String } }, Schema.Types.ObjectId);
    await Some.create({
      _id: new ObjectId("0123456789abcdef01234567"), double: 1.5, infinite: Infinity, text: "text",
      document: { a: { b: [1, { c: null }] } }, array: [1, "2", [3]],
      binary: new Binary(Buffer.from([0, 255]), 5), uuid: "01234567-89ab-4def-8123-456789abcdef",
      yes: true, date: new Date("2024-02-29T12:00:00Z"), old: new Date("1901-01-01T00:00:00Z"),
      null: null, regex: /^a.b/i, code: new Code("f()"), scoped: new Code("f()", { x: 1 }), int: 5,
      timestamp: new Timestamp({ t: 9, i: 1 }), long: 2n ** 40n, other: Long.fromNumber(2 ** 41),
      decimal: Decimal128.fromString("1.10"), min: new MinKey(), max: new MaxKey(),
      map: { "a": "b" } });
    return Some.findOne().lean();
  },

  unacknowledged: async (db) => {
    const Some = model(db, "unacknowledged");
    for (let i = 0; i < 5; ++i) await new Some({ _id: i }).save({ w: 0 });
    return Some.find().sort({ _id: 1 }).lean();
  },

  session: async (db) => {
    const Some = model(db, "session");
    const session = await db.startSession({ causalConsistency: true });
    try {
      await Some.create([{ _id: 1 }], { session });
      return [await Some.findById(1, null, { session }).lean(), session.operationTime != null];
    } finally {
      await session.endSession();
    }
  },

  committed: async (db) => transaction(db, "committed", (session) => session.commitTransaction()),

  aborted: async (db) => transaction(db, "aborted", (session) => session.abortTransaction()),

  other_database: async (db) => {
    const other = db.useDb("drivers_other");
    const Some = model(other, "c");
    await Some.create({ _id: 1 });
    return [await Some.findOne().lean(), await other.dropDatabase()];
  },

  sharded: async (db) => {
    const Some = model(db.useDb("yorkie-meta"), "documents");
    await Some.insertMany(
      [...Array(20).keys()].map((i) => ({ _id: i, project_id: i % 3, key: `k${i}` })));
    return [await Some.find({ project_id: 1 }).sort({ _id: 1 }).lean(),
      await Some.find({ key: "k5" }).lean(),
      await Some.updateMany({ key: "k6" }, { $set: { a: 1 } }),
      await Some.deleteOne({ project_id: 2, _id: 5 })];
  },

  unknown_command: async (db) => db.db.command({ noSuchCommand: 1 }),

  unknown_operator: async (db) =>
    model(db, "unknown_operator").collection.find({ a: { $nope: 1 } }).toArray(),

  list_collections: async (db) => (await db.listCollections()).map((each) => each.name).sort(),

  list_databases: async (db) => (await db.listDatabases()).databases.map((each) => each.name).sort(),

  drop: async (db) => {
    await db.dropCollection("find");
    const left = (await db.listCollections()).some((each) => each.name === "find");
    await db.dropDatabase();
    return [left, await db.listCollections()];
  },
};

const [uri, ...leftOut] = process.argv.slice(2);
const sent = {};
mongoose.set("autoCreate", false);
mongoose.set("autoIndex", false);
const db = await mongoose.createConnection(uri, { dbName: "drivers", monitorCommands: true }).asPromise();
db.getClient().on("commandStarted", ({ commandName }) => {
  sent[commandName] = (sent[commandName] ?? 0) + 1;
});
for (const [name, step] of Object.entries(steps)) {
  if (leftOut.includes(name)) continue;
  let result;
  try {
    result = textOf(await step(db));
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    result = `error ${error.code} ${error.message}`;
  }
  console.log(`${name}: ${result}`);
}
await db.close();
for (const name of Object.keys(sent).sort()) console.log(`sent ${name} ${sent[name]}`);
