// The script of operations by Node's mongodb: script.mjs URI [steps to leave out...]
//
// Prints a line per step, its result as canonical Extended JSON or its error, and at last how
// often each command was sent, by the driver's own account.

import { createHash } from "node:crypto";
import {
  Binary, BSON, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, MongoBulkWriteError,
  MongoClient, MongoError, ObjectId, Timestamp, UUID,
} from "mongodb";

const textOf = (value) => BSON.EJSON.stringify(value, { relaxed: false });

async function digest(cursor) {
  const found = createHash("sha256");
  let count = 0;
  for await (const each of cursor) {
    found.update(textOf(each));
    count += 1;
  }
  return { count, sha256: found.digest("hex") };
}

async function numbers(db, name, count = 100) {
  const documents = [];
  for (let i = 0; i < count; ++i) documents.push({ _id: i, half: i >> 1, text: `n${i}` });
  await db.collection(name).insertMany(documents);
  return db.collection(name);
}

async function bulk(c, ordered) {
  await c.insertOne({ _id: 1 });
  try {
    return await c.bulkWrite([
      { insertOne: { document: { _id: 2 } } }, { insertOne: { document: { _id: 1 } } },
      { updateOne: { filter: { _id: 2 }, update: { $set: { a: 1 } } } },
      { updateMany: { filter: {}, update: { $set: { b: 1 } } } },
      { replaceOne: { filter: { _id: 3 }, replacement: { c: 1 }, upsert: true } },
      { deleteOne: { filter: { _id: 1 } } }], { ordered });
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount } = error;
    const failed = error.writeErrors.map((e) => [e.index, e.code, e.errmsg]);
    const counts = [insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount];
    return [failed, counts, await c.find().sort({ _id: 1 }).toArray()];
  }
}

async function transaction(client, db, name, end) {
  const c = db.collection(name);
  await c.insertOne({ _id: 0 });
  const session = client.startSession();
  let inside;
  try {
    session.startTransaction();
    await c.insertOne({ _id: 1 }, { session });
    await c.updateOne({ _id: 0 }, { $set: { a: 1 } }, { session });
    inside = await c.countDocuments({}, { session });
    await end(session);
  } finally {
    await session.endSession();
  }
  return [inside, await c.find().sort({ _id: 1 }).toArray()];
}

const steps = {
  insert_one: async (db) => (await db.collection("insert_one").insertOne({ _id: 1, a: "b" })).insertedId,

  insert_many: async (db) => {
    const c = db.collection("insert_many");
    await c.insertMany([...Array(10).keys()].map((_id) => ({ _id })));
    return c.find().sort({ _id: 1 }).toArray();
  },

  find: async (db) => (await numbers(db, "find")).find({ half: { $gte: 10 } })
    .project({ text: 1 }).sort({ _id: -1 }).skip(2).limit(5).toArray(),

  get_more: async (db) => digest((await numbers(db, "get_more")).find().batchSize(7).sort({ _id: 1 })),

  killed_cursor: async (db) => {
    const cursor = (await numbers(db, "killed_cursor")).find().batchSize(5).sort({ _id: 1 });
    const seen = [];
    while (seen.length < 7) seen.push(await cursor.next());
    await cursor.close();
    return seen;
  },

  aggregate: async (db) => (await numbers(db, "aggregate")).aggregate([
    { $match: { _id: { $lt: 40 } } },
    { $group: { _id: "$half", sum: { $sum: "$_id" } } },
    { $sort: { _id: 1 } }], { batchSize: 3 }).toArray(),

  update_one: async (db) => {
    const c = await numbers(db, "update_one");
    const done = await c.updateOne({ _id: 3 }, { $set: { text: "new" } });
    return [done.matchedCount, done.modifiedCount, await c.findOne({ _id: 3 })];
  },

  update_many: async (db) => {
    const c = await numbers(db, "update_many");
    const done = await c.updateMany({ half: { $lt: 5 } }, { $inc: { half: 100 } });
    return [done.matchedCount, done.modifiedCount];
  },

  replace_one: async (db) => {
    const c = await numbers(db, "replace_one");
    const done = await c.replaceOne({ _id: 4 }, { other: 1 });
    return [done.matchedCount, done.modifiedCount, await c.findOne({ _id: 4 })];
  },

  upsert: async (db) => {
    const c = db.collection("upsert");
    const done = await c.updateOne({ _id: 5 }, { $set: { a: 1 } }, { upsert: true });
    return [done.upsertedId, done.matchedCount, await c.find().toArray()];
  },

  find_one_and_update: async (db) => (await numbers(db, "find_one_and_update"))
    .findOneAndUpdate({ _id: 6 }, { $set: { text: "new" } }, { returnDocument: "after" }),

  delete_one: async (db) => (await (await numbers(db, "delete_one")).deleteOne({ _id: 7 })).deletedCount,

  delete_many: async (db) =>
    (await (await numbers(db, "delete_many")).deleteMany({ half: { $gte: 25 } })).deletedCount,

  distinct: async (db) => (await numbers(db, "distinct", 12)).distinct("half", { _id: { $gte: 4 } }),

  count_documents: async (db) =>
    (await numbers(db, "count_documents")).countDocuments({ half: { $lt: 10 } }),

  estimated_document_count: async (db) =>
    (await numbers(db, "estimated_document_count")).estimatedDocumentCount(),

  bulk_ordered: async (db) => bulk(db.collection("bulk_ordered"), true),

  bulk_unordered: async (db) => bulk(db.collection("bulk_unordered"), false),

  duplicate_key: async (db) => {
    await db.collection("duplicate_key").insertOne({ _id: 1 });
    return db.collection("duplicate_key").insertOne({ _id: 1 });
  },

  indexes: async (db) => {
    const c = db.collection("indexes");
    const names = [await c.createIndex({ a: 1, b: -1 }),
      await c.createIndex({ c: 1 }, { unique: true, name: "only" })];
    return [names, await c.listIndexes().toArray()];
  },

  big_document: async (db) => {
    const c = db.collection("big_document");
    await c.insertOne({ _id: 1, text: "0123456789".repeat(500_000) });
    return digest(c.find());
  },

  many_documents: async (db) => {
    const c = db.collection("many_documents");
    await c.insertMany([...Array(20_000).keys()].map((i) => ({ _id: i, text: `document ${i}` })));
    return digest(c.find().sort({ _id: 1 }));
  },

  unicode: async (db) => {
    const c = db.collection("unicode_\u00fc");
    await c.insertOne({ _id: "\u4e2d\u6587", "\u00e9": "\u{1f600} \u0000 end" });
    return c.find({ _id: "\u4e2d\u6587" }).toArray();
  },

  every_type: async (db) => {
    const c = db.collection("every_type");
    await c.insertOne({
      _id: new ObjectId("0123456789abcdef01234567"), double: new Double(1.5), infinite: Infinity,
      text: "text", document: { a: { b: [1, { c: null }] } }, array: [1, "2", [3]],
      binary: new Binary(Buffer.from([0, 255]), 5),
      uuid: new UUID("00000000-0000-0000-0000-000000000007"), yes: true,
      date: new Date("2024-02-29T12:00:00Z"), old: new Date("1901-01-01T00:00:00Z"), null: null,
      regex: /^a.b/i, code: new Code("f()"), scoped: new Code("f()", { x: 1 }), int: new Int32(5),
      timestamp: new Timestamp({ t: 9, i: 1 }), long: Long.fromNumber(2 ** 40),
      decimal: Decimal128.fromString("1.10"), min: new MinKey(), max: new MaxKey() });
    return c.findOne({}, { promoteValues: false });
  },

  unacknowledged: async (db) => {
    const silent = db.collection("unacknowledged", { writeConcern: { w: 0 } });
    for (let i = 0; i < 5; ++i) await silent.insertOne({ _id: i });
    return db.collection("unacknowledged").find().sort({ _id: 1 }).toArray();
  },

  session: async (db, client) => {
    const session = client.startSession({ causalConsistency: true });
    try {
      await db.collection("session").insertOne({ _id: 1 }, { session });
      const found = await db.collection("session").findOne({ _id: 1 }, { session });
      return [found, session.operationTime != null];
    } finally {
      await session.endSession();
    }
  },

  committed: async (db, client) =>
    transaction(client, db, "committed", (session) => session.commitTransaction()),

  aborted: async (db, client) =>
    transaction(client, db, "aborted", (session) => session.abortTransaction()),

  other_database: async (_, client) => {
    const other = client.db("drivers_other");
    await other.collection("c").insertOne({ _id: 1 });
    return [await other.collection("c").findOne(), await other.dropDatabase()];
  },

  sharded: async (_, client) => {
    const c = client.db("yorkie-meta").collection("documents");
    await c.insertMany([...Array(20).keys()].map((i) => ({ _id: i, project_id: i % 3, key: `k${i}` })));
    return [await c.find({ project_id: 1 }).sort({ _id: 1 }).toArray(),
      await c.find({ key: "k5" }).toArray(),
      (await c.updateMany({ key: "k6" }, { $set: { a: 1 } })).modifiedCount,
      (await c.deleteOne({ project_id: 2, _id: 5 })).deletedCount];
  },

  unknown_command: async (db) => db.command({ noSuchCommand: 1 }),

  unknown_operator: async (db) => db.collection("unknown_operator").find({ a: { $nope: 1 } }).toArray(),

  list_collections: async (db) => (await db.listCollections().toArray()).map((c) => c.name).sort(),

  list_databases: async (db) =>
    (await db.admin().listDatabases()).databases.map((each) => each.name).sort(),

  drop: async (db) => {
    await db.collection("find").drop();
    const left = (await db.listCollections({ name: "find" }, { nameOnly: true }).toArray()).length;
    await db.dropDatabase();
    return [left, await db.listCollections().toArray()];
  },
};

const [uri, ...leftOut] = process.argv.slice(2);
const sent = {};
const client = new MongoClient(uri, { monitorCommands: true });
client.on("commandStarted", ({ commandName }) => { sent[commandName] = (sent[commandName] ?? 0) + 1; });
for (const [name, step] of Object.entries(steps)) {
  if (leftOut.includes(name)) continue;
  let result;
  try {
    result = textOf(await step(client.db("drivers"), client));
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    result = `error ${error.code} ${error.message}`;
  }
  console.log(`${name}: ${result}`);
}
await client.close();
for (const name of Object.keys(sent).sort()) console.log(`sent ${name} ${sent[name]}`);
