// The filter: a shape must contain all its words; app:, field:, ns:, user: and command: restrict where.

// The texts of a shape that the filter searches, in lower case.
function textsOf(shape) {
  shape.own.texts ??= {
    ns: shape.ns.toLowerCase(),
    command: shape.command.toLowerCase(),
    whole: [shape.routing, shape.reason].filter(Boolean),  // "key" doesn't match "missing_key"
    fields: lowered(shape.fields),
    apps: lowered((shape.callers ?? []).map(each => each.appName)),
    users: lowered((shape.callers ?? []).map(each => each.user)),
    others: lowered([shape.shapeHash, ...(shape.missing ?? []),
      ...(shape.callers ?? []).flatMap(each => [each.remote, each.comment, each.driver])]),
  };
  return shape.own.texts;
}

function lowered(texts) {
  return (texts ?? []).filter(Boolean).map(each => each.toLowerCase());
}

const inAny = (texts, word) => texts.some(each => each.includes(word));

const prefixes = {
  app: (texts, word) => inAny(texts.apps, word),
  field: (texts, word) => texts.fields.some(each => each === word || each.startsWith(word + ".")),
  ns: (texts, word) => texts.ns.includes(word),
  user: (texts, word) => inAny(texts.users, word),
  command: (texts, word) => texts.command === word,
};

function anywhere(texts, word) {
  return texts.ns.includes(word) || texts.command.includes(word) || texts.whole.includes(word.replace(/ /g, "_")) ||
    [texts.fields, texts.apps, texts.users, texts.others].some(each => inAny(each, word));
}

// The words of a filter; quotes keep spaces: app:"Order Service".
function wordsOf(text) {
  return (text.toLowerCase().match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []).map(each => each.replace(/"/g, "")).filter(Boolean);
}

// Whether a shape contains all words. A prefix without a word after it, as while typing, matches everything.
export function filterOf(text) {
  const tests = wordsOf(text).map(each => {
    const colon = each.indexOf(":");
    const prefix = each.slice(0, Math.max(colon, 0));
    if (!Object.hasOwn(prefixes, prefix)) return texts => anywhere(texts, each);
    const word = each.slice(colon + 1);
    return texts => word === "" || prefixes[prefix](texts, word);
  });
  return shape => tests.every(test => test(textsOf(shape)));
}

// A filter that finds a collection's shapes.
export function filterOfCollection(ns) {
  return /[\s"]/.test(ns) ? `ns:"${ns.replace(/"/g, "")}"` : "ns:" + ns;
}
