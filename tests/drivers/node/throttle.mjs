// Clients that change documents by a query that a rule throttles: throttle.mjs URI CLIENTS MS
//
// Prints how often they were admitted and refused, and the labels of the refusals.

import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient, MongoServerError } from "mongodb";

const [uri, clients, milliseconds] = process.argv.slice(2);
const until = Date.now() + Number(milliseconds);
const counts = { done: 0, refused: 0, labels: [] };

async function work() {
  const client = new MongoClient(uri, { retryReads: false, retryWrites: false });
  const documents = client.db("yorkie-meta").collection("documents");
  while (Date.now() < until) {
    try {
      await documents.updateMany({ key: "k" }, { $inc: { n: 1 } });
      counts.done += 1;
    } catch (error) {
      if (!(error instanceof MongoServerError) || error.code !== 462) throw error;
      counts.refused += 1;
      counts.labels = [...error.errorLabels].sort();
      await sleep(20);
    }
  }
  await client.close();
}

await Promise.all(Array.from({ length: Number(clients) }, work));
console.log(JSON.stringify(counts));
