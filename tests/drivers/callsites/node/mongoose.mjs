// Mongoose: the lines that scatter end in "// scatter".
import assert from 'node:assert';
import {after, before, beforeEach, test} from 'node:test';
import mongoose from 'mongoose';

const shape = new mongoose.Schema({_id: Number, customer: Number, status: String, amount: Number, color: String,
  previous: {type: Number, ref: 'Order'}}, {collection: 'mongoose', autoIndex: false});
const Order = mongoose.model('Order', shape);

// Waits for the connection: it belongs to this line, not to the one that connects.
const early = Order.findOne({amount: -1, early: null}).exec(); // scatter
before(async () => { await mongoose.connect(process.env.MONGODB_URI, {dbName: 'shop'}); });
after(() => mongoose.disconnect());
beforeEach(async () => {
  await Order.deleteMany({customer: {$gte: 0}});
  await Order.insertMany(Array.from({length: 10}, (_, i) => (
    {_id: i, customer: i, status: 'open', amount: i, previous: i - 1})));
});

async function ofAmount(amount) {
  return Order.findOne({amount}); // scatter
}

test('reads', async () => {
  assert.equal(await early, null);
  assert.equal((await ofAmount(3)).customer, 3);
  assert.equal((await Order.find({status: 'open'}).sort({amount: 1}).lean()).length, 10); // scatter
  assert.equal((await Order.find({status: 'open', amount: 4}).exec()).length, 1); // scatter
  assert.equal(await Order.countDocuments({amount: {$gt: 6}}), 3); // scatter
  assert.equal((await Order.findById(2)).customer, 2); // scatter
  assert(await Order.exists({amount: 2})); // scatter
  assert.equal((await Order.where('amount').gt(8).lte(9).find()).length, 1); // scatter
  const found = await Order.aggregate([{$match: {amount: {$lt: 2}}}, {$project: {customer: 1}}]); // scatter
  assert.equal(found.length, 2);
  let count = 0;
  for await (const one of Order.find({status: 'open', amount: {$gte: 0}})) count += one ? 1 : 0; // scatter
  assert.equal(count, 10);
  const query = Order.find({amount: {$lt: 3}}); // scatter
  query.limit(2);
  assert.equal((await query).length, 2);
  assert.equal((await Order.findOne({customer: 5})).amount, 5);
});

test('writes', async () => {
  await Order.updateMany({amount: 7}, {$set: {color: 'red'}}); // scatter
  const [one, other] = await Promise.all([
    Order.findOneAndUpdate({amount: 8, color: null}, {color: 'green'}), // scatter
    Order.findOne({amount: 6, color: null}), // scatter
  ]);
  assert.deepEqual([one.customer, other.customer], [8, 6]);
  other.amount = 60;
  await other.save(); // scatter
  assert.equal((await Order.deleteMany({amount: 9})).deletedCount, 1); // scatter
  await Order.bulkWrite([{updateMany: {filter: {amount: 60}, update: {color: 'blue'}}}]); // scatter
});

test('populate', async () => {
  const order = await Order.findOne({customer: 4}).populate('previous'); // scatter
  assert.equal(order.previous.customer, 3);
});
