// Adds to each MongoDB command the line of the application that sent it, and the running test.
//
// Both go into the command's `comment`: file='/src/orders.js',line='42',test='orders are listed'. `scattergate gate`
// and `scattergate report` read them. A comment of the application stays, after them.
//
// Load it before the driver: NODE_OPTIONS="--require /path/to/scattergate-callsites.cjs", mocha's --require, or Jest's
// setupFiles. It supports the packages mongodb 4 to 7, mongoose 6 to 9, and what is built on them.
'use strict';

const {AsyncLocalStorage, AsyncResource} = require('node:async_hooks');
const path = require('node:path');
const {fileURLToPath} = require('node:url');

// Every server since 4.4 (wire version 9) accepts a comment in these commands; earlier ones in the first two.
const always = new Set(['find', 'aggregate']);
const since44 = new Set(['bulkWrite', 'collMod', 'count', 'createIndexes', 'delete', 'distinct', 'dropIndexes',
  'findAndModify', 'findandmodify', 'insert', 'mapReduce', 'renameCollection', 'update']);
const wireVersionOf44 = 9;

const mostOfPath = 160; // scattergate keeps 256 bytes of a comment
const mostOfTest = 100;
const place = /\.\w+:\d|file(path|name)?='/;

const work = new AsyncLocalStorage(); // {site}: the line that the current work belongs to
const sites = new WeakMap(); // the lines that made cursors and queries
let runningTest;

const written = text => encodeURIComponent(text).replace(/%2F/g, '/').replace(/'/g, '%27');

function siteIn(frame) {
  const found = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*):(\d+):\d+\)?$/.exec(frame);
  if (!found || /[\\/]node_modules[\\/]/.test(found[1])) return undefined;
  let file = found[1].startsWith('file:') ? fileURLToPath(found[1]) : found[1];
  if (file === __filename) return undefined;
  file = written(file.replace(/\\/g, '/'));
  if (file.length > mostOfPath) file = file.slice(file.indexOf('/', file.length - mostOfPath)); // its end finds it
  return `file='${file}',line='${found[2]}'`;
}

// The nearest line of the application on the stack. Source maps apply, if Node, Jest or a package uses them.
function siteOnStack(acrossAwaits) {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const frames = String(new Error().stack).split('\n');
  Error.stackTraceLimit = limit;
  for (const frame of frames) {
    if (!acrossAwaits && /^\s+at async /.test(frame)) return undefined;
    const site = siteIn(frame.trimEnd());
    if (site) return site;
  }
  return undefined;
}

function testNow() {
  if (runningTest) return runningTest;
  try {
    return globalThis.expect?.getState?.().currentTestName; // Jest; Vitest with `globals`
  } catch {
    return undefined;
  }
}

// A copy of the command with a comment, or the command itself.
function withComment(command, site, wireVersion) {
  const name = Object.keys(command)[0];
  if (!always.has(name) && !(since44.has(name) && wireVersion >= wireVersionOf44)) return command;
  const given = command.comment;
  if (given !== undefined && typeof given !== 'string') return command;
  const test = testNow();
  const parts = [site && !place.test(given ?? '') ? site : undefined,
    test ? `test='${written(test.slice(0, mostOfTest))}'` : undefined].filter(Boolean).join(',');
  const comment = [parts, given].filter(Boolean).join(' ');
  return comment ? {...command, comment} : command;
}

function wrap(object, name, make) {
  const original = object?.[name];
  if (typeof original === 'function') object[name] = make(original);
}

// Work that the application starts belongs to the line that started it.
const entry = original => function (...args) {
  const site = siteOnStack(false);
  return site ? work.run({site}, () => original.apply(this, args)) : original.apply(this, args);
};

// Remembers the line that made what a function returns.
const maker = original => function (...args) {
  const made = original.apply(this, args);
  const site = siteOnStack(false) ?? work.getStore()?.site;
  if (site && made !== null && typeof made === 'object' && !sites.has(made)) sites.set(made, site);
  return made;
};

// Work for a cursor or query belongs to the line that made it.
const ofMaker = original => function (...args) {
  const site = sites.get(this) ?? siteOnStack(false);
  return site ? work.run({site}, () => original.apply(this, args)) : original.apply(this, args);
};

const patched = new WeakSet();

function patchDriver(driver, load) {
  if (patched.has(driver)) return;
  patched.add(driver);
  const {AbstractCursor, Collection, Db, MongoClient} = driver;
  for (const owner of [Collection, Db, MongoClient, driver.OrderedBulkOperation, driver.UnorderedBulkOperation]) {
    for (const name of Object.getOwnPropertyNames(owner?.prototype ?? {})) {
      const property = Object.getOwnPropertyDescriptor(owner.prototype, name);
      if (name !== 'constructor' && typeof property.value === 'function') wrap(owner.prototype, name, entry);
    }
  }
  for (const name of ['find', 'aggregate', 'listIndexes', 'watch']) wrap(Collection.prototype, name, maker);
  for (const name of ['aggregate', 'listCollections', 'watch']) wrap(Db.prototype, name, maker);
  for (const name of ['next', 'tryNext', 'hasNext', 'forEach', 'toArray']) wrap(AbstractCursor.prototype, name, entry);
  for (const cursor of Object.values(driver).filter(one => one?.prototype instanceof AbstractCursor)) {
    for (const name of ['_initialize', 'count']) {
      if (Object.hasOwn(cursor.prototype, name)) wrap(cursor.prototype, name, ofMaker);
    }
    if (Object.hasOwn(cursor.prototype, 'clone')) wrap(cursor.prototype, 'clone', maker);
  }
  const operations = load('operations/execute_operation.js');
  wrap(operations, 'executeOperation', original => function (client, operation, ...rest) {
    const site = work.getStore()?.site ?? siteOnStack(true);
    if (site) sites.set(operation, site);
    return site ? work.run({site}, () => original(client, operation, ...rest)) : original(client, operation, ...rest);
  });
  wrap(load('sdam/server.js').Server.prototype, 'command', original => function (first, ...rest) {
    const wireVersion = this.description?.maxWireVersion ?? 0;
    if (typeof first?.buildCommand === 'function') { // mongodb 7
      const build = Object.getPrototypeOf(first).buildCommand;
      first.buildCommand = function (...args) {
        return withComment(build.apply(this, args), sites.get(first), wireVersion);
      };
    } else if (rest[0] !== null && typeof rest[0] === 'object') {
      rest[0] = withComment(rest[0], work.getStore()?.site, wireVersion);
    }
    return original.call(this, first, ...rest);
  });
}

function patchMongoose(mongoose) {
  if (patched.has(mongoose)) return;
  patched.add(mongoose);
  const {Aggregate, Collection, Document, Model, Query} = mongoose;
  for (const name of ['find', 'findOne', 'findOneAndUpdate', 'findOneAndDelete', 'findOneAndReplace', 'findOneAndRemove',
    'count', 'countDocuments', 'estimatedDocumentCount', 'distinct', 'update', 'updateOne', 'updateMany', 'replaceOne',
    'remove', 'deleteOne', 'deleteMany', 'where']) wrap(Query.prototype, name, maker);
  for (const name of ['exec', 'cursor']) {
    wrap(Query.prototype, name, ofMaker);
    wrap(Aggregate.prototype, name, ofMaker);
  }
  wrap(Model, 'aggregate', maker);
  for (const name of ['bulkSave', 'bulkWrite', 'create', 'createIndexes', 'exists', 'insertMany', 'insertOne', 'populate',
    'syncIndexes', 'watch']) wrap(Model, name, entry);
  for (const name of ['save', 'deleteOne', 'remove']) wrap(Model.prototype, name, entry);
  wrap(Document.prototype, 'populate', entry);
  // Operations that wait for the connection belong to the line that asked, not to the one that connects.
  wrap(Collection.prototype, 'addQueue', original => function (name, args) {
    original.call(this, name, args);
    if (typeof name !== 'string') return this;
    const later = AsyncResource.bind(() => this[name](...args));
    this.queue[this.queue.length - 1] = [Object.assign(later, {queued: name}), args];
    return this;
  });
  wrap(Collection.prototype, 'removeQueue', original => function (name, args) {
    const queued = this.queue.find(one => one[0]?.queued === name && one[1] === args);
    return original.call(this, queued ? queued[0] : name, args);
  });
}

const entries = /[\\/]node_modules[\\/](?:(mongodb)[\\/]lib[\\/]index\.js|mongoose[\\/](?:lib[\\/])?index\.js)$/;

function patch(exported, file, load) {
  const found = entries.exec(file);
  if (!found || exported === null || typeof exported !== 'object') return;
  if (found[1]) patchDriver(exported, name => load(path.join(path.dirname(file), name)));
  else if (exported.Query) patchMongoose(exported);
}

function patchAsLoaded() {
  const Module = require('node:module');
  const original = Module._load;
  Module._load = function (request, parent, ...rest) {
    const exported = original.call(this, request, parent, ...rest);
    if (/mongodb|mongoose/.test(request)) {
      try {
        patch(exported, Module._resolveFilename(request, parent), file => original.call(Module, file, null, false));
      } catch (error) {
        process.emitWarning(`scattergate-callsites: ${error.message}`);
      }
    }
    return exported;
  };
}

// Jest has modules of its own in each test file, so those are loaded here.
function patchInJest() {
  const from = [process.cwd()];
  for (const name of ['mongoose', 'mongodb']) {
    let file;
    try {
      file = require.resolve(name, {paths: from});
    } catch {
      continue; // isn't used
    }
    from.unshift(path.dirname(file));
    patch(require(file), file, require);
  }
}

if (typeof jest === 'undefined') patchAsLoaded();
else patchInJest();

// Names the running test, where it isn't known: setTest(name) before each test, setTest() after it.
exports.setTest = name => { runningTest = name; };

// Mocha reads these hooks if it loads this file by --require.
exports.mochaHooks = {
  beforeEach() { runningTest = this.currentTest?.fullTitle(); },
  afterEach() { runningTest = undefined; },
};

if (process.env.NODE_TEST_CONTEXT) {
  const {afterEach, beforeEach} = require('node:test');
  beforeEach(test => { runningTest = test.fullName ?? test.name; });
  afterEach(() => { runningTest = undefined; });
}
