//! The script of operations by Rust's mongodb: script URI [steps to leave out...]
//!
//! Prints a line per step, its result or its error, and at last how often each command was
//! sent, by the driver's own account.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{
    self, Binary, Bson, DateTime, Document, JavaScriptCodeWithScope, Regex, Timestamp, doc,
};
use mongodb::error::{ErrorKind, Result};
use mongodb::event::{EventHandler, command::CommandEvent};
use mongodb::options::{
    Acknowledgment, ClientOptions, CollectionOptions, DeleteOneModel, IndexOptions, InsertOneModel,
    ReplaceOneModel, ReturnDocument, UpdateManyModel, UpdateModifications, UpdateOneModel,
    WriteConcern, WriteModel,
};
use mongodb::sync::{Client, ClientSession, Collection, Cursor, Database};
use mongodb::{IndexModel, Namespace};

type Step = fn(&Here) -> Result<String>;
type Documents = Collection<Document>;

/// The database of all steps, and where it is.
struct Here {
    client: Client,
    db: Database,
}

impl std::ops::Deref for Here {
    type Target = Database;
    fn deref(&self) -> &Database {
        &self.db
    }
}

fn show(value: impl std::fmt::Debug) -> Result<String> {
    Ok(format!("{value:?}"))
}

fn digest(cursor: Cursor<Document>) -> Result<String> {
    let mut hash = DefaultHasher::new();
    let mut count = 0;
    for each in cursor {
        format!("{:?}", each?).hash(&mut hash);
        count += 1;
    }
    show((count, hash.finish()))
}

fn all(cursor: Cursor<Document>) -> Result<Vec<Document>> {
    cursor.collect()
}

fn numbers(db: &Here, name: &str, count: i32) -> Result<Documents> {
    let c = db.collection(name);
    c.insert_many((0..count).map(|i| doc! {"_id": i, "half": i / 2, "text": format!("n{i}")}))
        .run()?;
    Ok(c)
}

fn insert_one(db: &Here) -> Result<String> {
    let c: Documents = db.collection("insert_one");
    show(c.insert_one(doc! {"_id": 1, "a": "b"}).run()?)
}

fn insert_many(db: &Here) -> Result<String> {
    let c: Documents = db.collection("insert_many");
    c.insert_many((0..10).map(|i| doc! {"_id": i})).run()?;
    show(all(c.find(doc! {}).sort(doc! {"_id": 1}).run()?)?)
}

fn find(db: &Here) -> Result<String> {
    let c = numbers(db, "find", 100)?;
    let found = c
        .find(doc! {"half": {"$gte": 10}})
        .projection(doc! {"text": 1})
        .sort(doc! {"_id": -1})
        .skip(2)
        .limit(5);
    show(all(found.run()?)?)
}

fn get_more(db: &Here) -> Result<String> {
    let c = numbers(db, "get_more", 100)?;
    digest(c.find(doc! {}).batch_size(7).sort(doc! {"_id": 1}).run()?)
}

fn killed_cursor(db: &Here) -> Result<String> {
    let c = numbers(db, "killed_cursor", 100)?;
    let cursor = c.find(doc! {}).batch_size(5).sort(doc! {"_id": 1}).run()?;
    let seen: Result<Vec<Document>> = cursor.take(7).collect();
    show(seen?)
}

fn aggregate(db: &Here) -> Result<String> {
    let stages = [
        doc! {"$match": {"_id": {"$lt": 40}}},
        doc! {"$group": {"_id": "$half", "sum": {"$sum": "$_id"}}},
        doc! {"$sort": {"_id": 1}},
    ];
    let c = numbers(db, "aggregate", 100)?;
    show(all(c.aggregate(stages).batch_size(3).run()?)?)
}

fn update_one(db: &Here) -> Result<String> {
    let c = numbers(db, "update_one", 100)?;
    let done = c
        .update_one(doc! {"_id": 3}, doc! {"$set": {"text": "new"}})
        .run()?;
    show((done, c.find_one(doc! {"_id": 3}).run()?))
}

fn update_many(db: &Here) -> Result<String> {
    let c = numbers(db, "update_many", 100)?;
    show(
        c.update_many(doc! {"half": {"$lt": 5}}, doc! {"$inc": {"half": 100}})
            .run()?,
    )
}

fn replace_one(db: &Here) -> Result<String> {
    let c = numbers(db, "replace_one", 100)?;
    let done = c.replace_one(doc! {"_id": 4}, doc! {"other": 1}).run()?;
    show((done, c.find_one(doc! {"_id": 4}).run()?))
}

fn upsert(db: &Here) -> Result<String> {
    let c: Documents = db.collection("upsert");
    let done = c
        .update_one(doc! {"_id": 5}, doc! {"$set": {"a": 1}})
        .upsert(true)
        .run()?;
    show((done, all(c.find(doc! {}).run()?)?))
}

fn find_one_and_update(db: &Here) -> Result<String> {
    let c = numbers(db, "find_one_and_update", 100)?;
    let change = c
        .find_one_and_update(doc! {"_id": 6}, doc! {"$set": {"text": "new"}})
        .return_document(ReturnDocument::After);
    show(change.run()?)
}

fn delete_one(db: &Here) -> Result<String> {
    show(
        numbers(db, "delete_one", 100)?
            .delete_one(doc! {"_id": 7})
            .run()?,
    )
}

fn delete_many(db: &Here) -> Result<String> {
    show(
        numbers(db, "delete_many", 100)?
            .delete_many(doc! {"half": {"$gte": 25}})
            .run()?,
    )
}

fn distinct(db: &Here) -> Result<String> {
    show(
        numbers(db, "distinct", 12)?
            .distinct("half", doc! {"_id": {"$gte": 4}})
            .run()?,
    )
}

fn count_documents(db: &Here) -> Result<String> {
    show(
        numbers(db, "count_documents", 100)?
            .count_documents(doc! {"half": {"$lt": 10}})
            .run()?,
    )
}

fn estimated_document_count(db: &Here) -> Result<String> {
    show(
        numbers(db, "estimated_document_count", 100)?
            .estimated_document_count()
            .run()?,
    )
}

fn bulk(db: &Here, name: &str, ordered: bool) -> Result<String> {
    let c: Documents = db.collection(name);
    c.insert_one(doc! {"_id": 1}).run()?;
    let ns = Namespace::new(db.name(), name);
    let set = |field: &str| UpdateModifications::Document(doc! {"$set": {field: 1}});
    let insert = |id: i32| {
        let model = InsertOneModel::builder()
            .namespace(ns.clone())
            .document(doc! {"_id": id});
        WriteModel::from(model.build())
    };
    let update_one = UpdateOneModel::builder()
        .namespace(ns.clone())
        .filter(doc! {"_id": 2})
        .update(set("a"));
    let update_many = UpdateManyModel::builder()
        .namespace(ns.clone())
        .filter(doc! {})
        .update(set("b"));
    let replace = ReplaceOneModel::builder()
        .namespace(ns.clone())
        .filter(doc! {"_id": 3})
        .replacement(doc! {"c": 1})
        .upsert(true);
    let delete = DeleteOneModel::builder()
        .namespace(ns.clone())
        .filter(doc! {"_id": 1});
    let models = vec![
        insert(2),
        insert(1),
        update_one.build().into(),
        update_many.build().into(),
        replace.build().into(),
        delete.build().into(),
    ];
    let outcome = match db.client.bulk_write(models).ordered(ordered).run() {
        Ok(done) => format!("{done:?}"),
        Err(error) => match *error.kind {
            ErrorKind::BulkWrite(failed) => {
                let errors: BTreeMap<_, _> = failed.write_errors.into_iter().collect();
                format!("{errors:?} {:?}", failed.partial_result)
            }
            _ => return Err(error),
        },
    };
    show((outcome, all(c.find(doc! {}).sort(doc! {"_id": 1}).run()?)?))
}

fn bulk_ordered(db: &Here) -> Result<String> {
    bulk(db, "bulk_ordered", true)
}

fn bulk_unordered(db: &Here) -> Result<String> {
    bulk(db, "bulk_unordered", false)
}

fn duplicate_key(db: &Here) -> Result<String> {
    let c: Documents = db.collection("duplicate_key");
    c.insert_one(doc! {"_id": 1}).run()?;
    show(c.insert_one(doc! {"_id": 1}).run()?)
}

fn indexes(db: &Here) -> Result<String> {
    let c: Documents = db.collection("indexes");
    let options = IndexOptions::builder()
        .unique(true)
        .name("only".to_string())
        .build();
    let unique = IndexModel::builder()
        .keys(doc! {"c": 1})
        .options(options)
        .build();
    c.create_index(IndexModel::builder().keys(doc! {"a": 1, "b": -1}).build())
        .run()?;
    c.create_index(unique).run()?;
    let found: Result<Vec<IndexModel>> = c.list_indexes().run()?.collect();
    show(found?)
}

fn big_document(db: &Here) -> Result<String> {
    let c: Documents = db.collection("big_document");
    c.insert_one(doc! {"_id": 1, "text": "0123456789".repeat(500_000)})
        .run()?;
    digest(c.find(doc! {}).run()?)
}

fn many_documents(db: &Here) -> Result<String> {
    let c: Documents = db.collection("many_documents");
    let documents = (0..20_000).map(|i| doc! {"_id": i, "text": format!("document {i}")});
    c.insert_many(documents).run()?;
    digest(c.find(doc! {}).sort(doc! {"_id": 1}).run()?)
}

fn unicode(db: &Here) -> Result<String> {
    let c: Documents = db.collection("unicode_\u{fc}");
    c.insert_one(doc! {"_id": "\u{4e2d}\u{6587}", "\u{e9}": "\u{1f600} \0 end"})
        .run()?;
    show(all(c.find(doc! {"_id": "\u{4e2d}\u{6587}"}).run()?)?)
}

fn every_type(db: &Here) -> Result<String> {
    let c: Documents = db.collection("every_type");
    let binary = Binary {
        subtype: BinarySubtype::Md5,
        bytes: vec![0, 255],
    };
    let uuid = Binary {
        subtype: BinarySubtype::Uuid,
        bytes: vec![7; 16],
    };
    let code = JavaScriptCodeWithScope {
        code: "f()".into(),
        scope: doc! {"x": 1},
    };
    let regex = Regex {
        pattern: "^a.b".try_into()?,
        options: "i".try_into()?,
    };
    c.insert_one(doc! {
        "_id": bson::oid::ObjectId::parse_str("0123456789abcdef01234567")?,
        "double": 1.5, "infinite": f64::INFINITY, "text": "text",
        "document": {"a": {"b": [1, {"c": null}]}}, "array": [1, "2", [3]], "binary": binary,
        "uuid": uuid, "yes": true, "date": DateTime::from_millis(1_709_208_000_000),
        "old": DateTime::from_millis(-2_177_452_800_000), "null": null, "regex": regex,
        "code": Bson::JavaScriptCode("f()".into()), "scoped": code, "int": 5,
        "timestamp": Timestamp { time: 9, increment: 1 }, "long": 1_i64 << 40,
        "decimal": "1.10".parse::<bson::Decimal128>()?, "min": Bson::MinKey, "max": Bson::MaxKey,
    })
    .run()?;
    show(c.find_one(doc! {}).run()?)
}

fn unacknowledged(db: &Here) -> Result<String> {
    let concern = WriteConcern::builder().w(Acknowledgment::Nodes(0)).build();
    let options = CollectionOptions::builder().write_concern(concern).build();
    let silent: Documents = db.collection_with_options("unacknowledged", options);
    for i in 0..5 {
        silent.insert_one(doc! {"_id": i}).run()?;
    }
    let c: Documents = db.collection("unacknowledged");
    show(all(c.find(doc! {}).sort(doc! {"_id": 1}).run()?)?)
}

fn session(db: &Here) -> Result<String> {
    let mut session = db.client.start_session().causal_consistency(true).run()?;
    let c: Documents = db.collection("session");
    c.insert_one(doc! {"_id": 1}).session(&mut session).run()?;
    let found = c.find_one(doc! {"_id": 1}).session(&mut session).run()?;
    show((found, session.cluster_time().is_some()))
}

type End = fn(&mut ClientSession) -> Result<()>;

fn transaction(db: &Here, name: &str, end: End) -> Result<String> {
    let c: Documents = db.collection(name);
    c.insert_one(doc! {"_id": 0}).run()?;
    let mut session = db.client.start_session().run()?;
    session.start_transaction().run()?;
    c.insert_one(doc! {"_id": 1}).session(&mut session).run()?;
    c.update_one(doc! {"_id": 0}, doc! {"$set": {"a": 1}})
        .session(&mut session)
        .run()?;
    let inside = c.count_documents(doc! {}).session(&mut session).run()?;
    end(&mut session)?;
    show((inside, all(c.find(doc! {}).sort(doc! {"_id": 1}).run()?)?))
}

fn committed(db: &Here) -> Result<String> {
    transaction(db, "committed", |session| {
        session.commit_transaction().run()
    })
}

fn aborted(db: &Here) -> Result<String> {
    transaction(db, "aborted", |session| session.abort_transaction().run())
}

fn other_database(db: &Here) -> Result<String> {
    let other = db.client.database("drivers_other");
    let c: Documents = other.collection("c");
    c.insert_one(doc! {"_id": 1}).run()?;
    let found = c.find_one(doc! {}).run()?;
    other.drop().run()?;
    show(found)
}

fn sharded(db: &Here) -> Result<String> {
    let c: Documents = db.client.database("yorkie-meta").collection("documents");
    c.insert_many((0..20).map(|i| doc! {"_id": i, "project_id": i % 3, "key": format!("k{i}")}))
        .run()?;
    show((
        all(c.find(doc! {"project_id": 1}).sort(doc! {"_id": 1}).run()?)?,
        all(c.find(doc! {"key": "k5"}).run()?)?,
        c.update_many(doc! {"key": "k6"}, doc! {"$set": {"a": 1}})
            .run()?,
        c.delete_one(doc! {"project_id": 2, "_id": 5}).run()?,
    ))
}

fn unknown_command(db: &Here) -> Result<String> {
    show(db.run_command(doc! {"noSuchCommand": 1}).run()?)
}

fn unknown_operator(db: &Here) -> Result<String> {
    let c: Documents = db.collection("unknown_operator");
    show(all(c.find(doc! {"a": {"$nope": 1}}).run()?)?)
}

fn list_collections(db: &Here) -> Result<String> {
    let mut names = db.list_collection_names().run()?;
    names.sort();
    show(names)
}

fn list_databases(db: &Here) -> Result<String> {
    let mut names = db.client.list_database_names().run()?;
    names.sort();
    show(names)
}

fn drop(db: &Here) -> Result<String> {
    db.collection::<Document>("find").drop().run()?;
    let left = db
        .list_collection_names()
        .run()?
        .contains(&"find".to_string());
    db.drop().run()?;
    show((left, db.list_collection_names().run()?))
}

const STEPS: &[(&str, Step)] = &[
    ("insert_one", insert_one),
    ("insert_many", insert_many),
    ("find", find),
    ("get_more", get_more),
    ("killed_cursor", killed_cursor),
    ("aggregate", aggregate),
    ("update_one", update_one),
    ("update_many", update_many),
    ("replace_one", replace_one),
    ("upsert", upsert),
    ("find_one_and_update", find_one_and_update),
    ("delete_one", delete_one),
    ("delete_many", delete_many),
    ("distinct", distinct),
    ("count_documents", count_documents),
    ("estimated_document_count", estimated_document_count),
    ("bulk_ordered", bulk_ordered),
    ("bulk_unordered", bulk_unordered),
    ("duplicate_key", duplicate_key),
    ("indexes", indexes),
    ("big_document", big_document),
    ("many_documents", many_documents),
    ("unicode", unicode),
    ("every_type", every_type),
    ("unacknowledged", unacknowledged),
    ("session", session),
    ("committed", committed),
    ("aborted", aborted),
    ("other_database", other_database),
    ("sharded", sharded),
    ("unknown_command", unknown_command),
    ("unknown_operator", unknown_operator),
    ("list_collections", list_collections),
    ("list_databases", list_databases),
    ("drop", drop),
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sent = Arc::new(Mutex::new(BTreeMap::<String, u32>::new()));
    let mut options = ClientOptions::parse(&arguments[0]).run()?;
    let tally = sent.clone();
    options.command_event_handler = Some(EventHandler::callback(move |event| {
        if let CommandEvent::Started(started) = event {
            *tally
                .lock()
                .unwrap()
                .entry(started.command_name)
                .or_default() += 1;
        }
    }));
    let client = Client::with_options(options)?;
    let here = Here {
        db: client.database("drivers"),
        client,
    };
    for (name, step) in STEPS {
        if arguments[1..].iter().any(|each| each == name) {
            continue;
        }
        match step(&here) {
            Ok(result) => println!("{name}: {result}"),
            Err(error) => println!("{name}: error {:?} {:?}", error.kind, error.labels()),
        }
    }
    here.client.shutdown().run();
    for (name, count) in sent.lock().unwrap().iter() {
        println!("sent {name} {count}");
    }
    Ok(())
}
