// A suite that Jest or Mocha runs: the lines that scatter end in "// scatter".
const assert = require('node:assert');
const mongoose = require('mongoose');
const {MongoClient} = require('mongodb');

const client = new MongoClient(process.env.MONGODB_URI);
const Order = mongoose.model('Order', new mongoose.Schema({_id: Number, customer: Number, amount: Number}, {
  collection: 'suite', autoIndex: false}));

describe('orders', () => {
  const hooks = typeof beforeAll === 'undefined' ? [before, after] : [beforeAll, afterAll];
  hooks[0](async () => {
    await client.connect();
    await mongoose.connect(process.env.MONGODB_URI, {dbName: 'shop'});
    await client.db('shop').collection('suite').insertMany([{_id: 1, customer: 1, amount: 1}]);
  });
  hooks[1](async () => {
    await client.close();
    await mongoose.disconnect();
  });

  it('are read', async () => {
    assert.equal((await client.db('shop').collection('suite').findOne({amount: 1})).customer, 1); // scatter
  });

  it("aren't many", async () => {
    assert.equal((await Order.find({amount: {$gte: 0}}).lean()).length, 1); // scatter
  });
});
