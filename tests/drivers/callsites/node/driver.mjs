// Node's driver: the lines that scatter end in "// scatter".
import assert from 'node:assert';
import {after, before, beforeEach, test} from 'node:test';
import {MongoClient} from 'mongodb';
import {byStatus, repaint} from './orders.mjs';

const client = new MongoClient(process.env.MONGODB_URI);
const orders = client.db('shop').collection('driver');
before(() => client.connect());
after(() => client.close());
beforeEach(async () => {
  await orders.deleteMany({customer: {$gte: 0}});
  await orders.insertMany(Array.from({length: 10}, (_, i) => ({_id: i, customer: i, status: 'open', amount: i})));
});

test('reads', async () => {
  assert.equal((await orders.findOne({amount: 3})).customer, 3); // scatter
  assert.equal((await byStatus(orders, 'open').toArray()).length, 10);
  assert.equal(await orders.countDocuments({amount: {$gt: 6}}), 3); // scatter
  assert.deepEqual(await orders.distinct('status', {amount: 4}), ['open']); // scatter
  const found = await orders.aggregate([ // scatter
    {$match: {amount: {$lt: 2}}},
    {$project: {customer: 1}},
  ]).toArray();
  assert.equal(found.length, 2);
  assert.equal((await orders.findOne({customer: 5})).amount, 5);
});

test('cursors', async () => {
  const cursor = orders.find({status: 'open', amount: {$gte: 0}}, {batchSize: 2}); // scatter
  let count = 0;
  for await (const one of cursor) count += one.amount >= 0 ? 1 : 0;
  assert.equal(count, 10);
  const other = orders.find({status: 'open', amount: {$lt: 5}}).batchSize(2); // scatter
  assert(await other.hasNext());
  assert.equal((await other.next()).customer >= 0, true);
  await other.close();
});

test('many at once', async () => {
  const found = await Promise.all([
    orders.findOne({amount: 1, a: null}), // scatter
    orders.findOne({amount: 2, b: null}), // scatter
    orders.find({amount: 3, c: null}).toArray(), // scatter
    orders.updateOne({customer: 4, _id: 4}, {$set: {n: 4}}),
    orders.deleteMany({amount: 5, d: null}), // scatter
    Promise.resolve({amount: 6, e: null}).then(filter => orders.findOne(filter)), // scatter
  ]);
  assert.equal(found[1].customer, 2);
});

test('writes', async () => {
  await orders.updateMany({amount: 7}, {$set: {color: 'red'}}); // scatter
  assert.equal((await repaint(orders, 'red')).modifiedCount, 1);
  const done = await orders.bulkWrite([ // scatter
    {updateOne: {filter: {customer: 1, _id: 1}, update: {$set: {n: 1}}}},
    {deleteMany: {filter: {amount: 8}}},
  ]);
  assert.equal(done.deletedCount, 1);
  assert.equal((await orders.deleteMany({amount: 9})).deletedCount, 1); // scatter
  assert.equal((await orders.findOne({customer: 1})).n, 1);
});

test('comments of the application stay', async () => {
  assert.equal((await orders.findOne({amount: 1, x: null}, {comment: 'the page of orders'})).customer, 1); // scatter
  assert.equal((await orders.findOne({amount: 1, y: null}, {comment: {page: 'orders'}})).customer, 1);
  assert.equal((await orders.findOne({amount: 1, z: null}, {comment: 'elsewhere.js:7'})).customer, 1);
});

test('a transaction', async () => {
  const session = client.startSession();
  await session.withTransaction(async () => {
    await orders.updateMany({amount: 3, n: null}, {$set: {n: 3}}, {session}); // scatter
  });
  await session.endSession();
  assert.equal((await orders.findOne({customer: 3})).n, 3);
});
