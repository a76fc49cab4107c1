// Turns the servers of docker-compose.yml into a sharded cluster, and shards Yorkie's collections; run by
// mongosh --nodb. Safe to repeat. There are no users: any client that reaches the network may do anything.
//
//   CONFIG   config/config1:27019,...                         the config servers' replica set
//   SHARDS   shard1/shard1-1:27018,... shard2/shard2-1:...    each shard's replica set
//   MONGOS   mongos1:27017
// Without CONFIG and SHARDS, the cluster must exist already; the script then only shards the collections.

const patience = 180000;
const database = "yorkie-meta";

// Calls `attempt` until it doesn't throw, and returns its result. Fails after `patience` milliseconds.
function insist(what, attempt) {
  const deadline = Date.now() + patience;
  for (;;) {
    try {
      return attempt();
    } catch (failure) {
      if (Date.now() > deadline) throw new Error(`${what}: ${failure.message}`);
      sleep(1000);
    }
  }
}

function on(uri, command) {
  const answer = new Mongo(uri).getDB("admin").runCommand(command);
  if (answer.ok !== 1) throw new Error(answer.errmsg);
  return answer;
}

function initiate(set, isConfig) {
  const [name, hosts] = set.split("/");
  const members = hosts.split(",").map((host, _id) => ({ _id, host }));
  const first = `mongodb://${members[0].host}/?directConnection=true`;
  insist(`replica set ${name}`, () => {
    try {
      on(first, { replSetInitiate: { _id: name, ...(isConfig ? { configsvr: true } : {}), members } });
    } catch (failure) {
      if (!/already initialized/i.test(failure.message)) throw failure;
    }
  });
  insist(`a primary of ${name}`, () => {
    if (!on(`mongodb://${hosts}/?replicaSet=${name}`, { hello: 1 }).isWritablePrimary) throw new Error("none yet");
  });
  print(`replica set ${name}: ${hosts}`);
}

const sets = (process.env.SHARDS || "").split(" ").filter((each) => each);
if (process.env.CONFIG) initiate(process.env.CONFIG, true);
for (const set of sets) initiate(set, false);

const mongos = `mongodb://${process.env.MONGOS}/`;
insist("mongos", () => on(mongos, { ping: 1 }));
for (const set of sets) insist(`shard ${set}`, () => on(mongos, { addShard: set }));

// Yorkie v0.6.38, as in config/presets/yorkie.yaml. users and projects stay unsharded.
const keys = {
  clients: { project_id: 1, _id: "hashed" },
  documents: { project_id: 1 },
  schemas: { project_id: 1 },
  changes: { doc_id: "hashed" },
  snapshots: { doc_id: "hashed" },
  versionvectors: { doc_id: "hashed" },
  revisions: { doc_id: "hashed" },
};
on(mongos, { enableSharding: database });
for (const [name, key] of Object.entries(keys)) {
  on(mongos, { shardCollection: `${database}.${name}`, key });
}

// A hashed key is spread over the shards from the start. A ranged key begins as one chunk, and the balancer
// moves nothing before there are hundreds of megabytes. So move a third of each ranged key to each shard.
const shards = on(mongos, { listShards: 1 }).shards.map((shard) => shard._id).sort();
for (const [name, key] of Object.entries(keys)) {
  if (!key.project_id) continue;
  const ns = `${database}.${name}`;
  const end = Object.fromEntries(Object.keys(key).map((field) => [field, MaxKey()]));
  for (const [index, digit] of ["5", "a"].slice(0, shards.length - 1).entries()) {
    const middle = { project_id: ObjectId(digit.repeat(24)), ...(key._id ? { _id: MinKey() } : {}) };
    try {
      on(mongos, { split: ns, middle });
      on(mongos, { moveChunk: ns, bounds: [middle, end], to: shards[index + 1] });
    } catch (failure) {
      print(`${ns} isn't spread further: ${failure.message}`); // an earlier run has spread it
    }
  }
}
print(`${database} is sharded over ${shards.join(", ")}`);
