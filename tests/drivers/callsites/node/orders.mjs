// An application's layer for its database: the lines that scatter end in "// scatter".

export function byStatus(collection, status) {
  return collection.find({status}, {sort: {amount: 1}}); // scatter
}

export async function repaint(collection, color) {
  return collection.updateMany({color}, {$set: {color: 'blue'}}); // scatter
}
