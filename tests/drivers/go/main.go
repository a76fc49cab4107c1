// The script of operations by Go's driver: script URI [steps to leave out...]
//
// Prints a line per step, its result as canonical Extended JSON or its error, and at last how
// often each command was sent, by the driver's own account.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

type (
	d = bson.D
	a = bson.A
)

var (
	ctx  = context.Background()
	byID = d{{"_id", 1}}
)

// must ends the step that runs it, with the error.
func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func all(cursor *mongo.Cursor, err error) []d {
	check(err)
	found := []d{}
	check(cursor.All(ctx, &found))
	return found
}

func one(from *mongo.SingleResult) d {
	var found d
	check(from.Decode(&found))
	return found
}

func digest(cursor *mongo.Cursor, err error) any {
	check(err)
	found, count := sha256.New(), 0
	for ; cursor.Next(ctx); count++ {
		found.Write(cursor.Current)
	}
	check(cursor.Err())
	return a{count, fmt.Sprintf("%x", found.Sum(nil))}
}

func numbers(db *mongo.Database, name string, count int) *mongo.Collection {
	documents := []d{}
	for i := range count {
		documents = append(documents, d{{"_id", i}, {"half", i / 2}, {"text", fmt.Sprint("n", i)}})
	}
	must(db.Collection(name).InsertMany(ctx, documents))
	return db.Collection(name)
}

func findMany(db *mongo.Database) any {
	how := options.Find().SetProjection(d{{"text", 1}}).SetSort(d{{"_id", -1}}).SetSkip(2).SetLimit(5)
	return all(numbers(db, "find", 100).Find(ctx, d{{"half", d{{"$gte", 10}}}}, how))
}

func getMore(db *mongo.Database) any {
	how := options.Find().SetBatchSize(7).SetSort(byID)
	return digest(numbers(db, "get_more", 100).Find(ctx, d{}, how))
}

func killedCursor(db *mongo.Database) any {
	how := options.Find().SetBatchSize(5).SetSort(byID)
	cursor := must(numbers(db, "killed_cursor", 100).Find(ctx, d{}, how))
	seen := a{}
	for len(seen) < 7 && cursor.Next(ctx) {
		seen = append(seen, slices.Clone(cursor.Current))
	}
	check(cursor.Err())
	check(cursor.Close(ctx))
	return seen
}

func aggregate(db *mongo.Database) any {
	return all(numbers(db, "aggregate", 100).Aggregate(ctx, a{
		d{{"$match", d{{"_id", d{{"$lt", 40}}}}}},
		d{{"$group", d{{"_id", "$half"}, {"sum", d{{"$sum", "$_id"}}}}}},
		d{{"$sort", byID}}}, options.Aggregate().SetBatchSize(3)))
}

func updateOne(db *mongo.Database) any {
	c := numbers(db, "update_one", 100)
	done := must(c.UpdateOne(ctx, d{{"_id", 3}}, d{{"$set", d{{"text", "new"}}}}))
	return a{done.MatchedCount, done.ModifiedCount, one(c.FindOne(ctx, d{{"_id", 3}}))}
}

func updateMany(db *mongo.Database) any {
	done := must(numbers(db, "update_many", 100).UpdateMany(ctx, d{{"half", d{{"$lt", 5}}}},
		d{{"$inc", d{{"half", 100}}}}))
	return a{done.MatchedCount, done.ModifiedCount}
}

func replaceOne(db *mongo.Database) any {
	c := numbers(db, "replace_one", 100)
	done := must(c.ReplaceOne(ctx, d{{"_id", 4}}, d{{"other", 1}}))
	return a{done.MatchedCount, done.ModifiedCount, one(c.FindOne(ctx, d{{"_id", 4}}))}
}

func upsert(db *mongo.Database) any {
	c := db.Collection("upsert")
	done := must(c.UpdateOne(ctx, d{{"_id", 5}}, d{{"$set", d{{"a", 1}}}},
		options.UpdateOne().SetUpsert(true)))
	return a{done.UpsertedID, done.MatchedCount, all(c.Find(ctx, d{}))}
}

func findOneAndUpdate(db *mongo.Database) any {
	return one(numbers(db, "find_one_and_update", 100).FindOneAndUpdate(ctx, d{{"_id", 6}},
		d{{"$set", d{{"text", "new"}}}}, options.FindOneAndUpdate().SetReturnDocument(options.After)))
}

func bulk(c *mongo.Collection, ordered bool) any {
	must(c.InsertOne(ctx, byID))
	done, err := c.BulkWrite(ctx, []mongo.WriteModel{
		mongo.NewInsertOneModel().SetDocument(d{{"_id", 2}}),
		mongo.NewInsertOneModel().SetDocument(byID),
		mongo.NewUpdateOneModel().SetFilter(d{{"_id", 2}}).SetUpdate(d{{"$set", d{{"a", 1}}}}),
		mongo.NewUpdateManyModel().SetFilter(d{}).SetUpdate(d{{"$set", d{{"b", 1}}}}),
		mongo.NewReplaceOneModel().SetFilter(d{{"_id", 3}}).SetReplacement(d{{"c", 1}}).SetUpsert(true),
		mongo.NewDeleteOneModel().SetFilter(byID),
	}, options.BulkWrite().SetOrdered(ordered))
	var refused mongo.BulkWriteException
	if err != nil && !errors.As(err, &refused) {
		panic(err)
	}
	failed := a{}
	for _, each := range refused.WriteErrors {
		failed = append(failed, a{each.Index, each.Code, each.Message})
	}
	counts := a{done.InsertedCount, done.MatchedCount, done.ModifiedCount, done.DeletedCount,
		done.UpsertedCount}
	return a{failed, counts, all(c.Find(ctx, d{}, options.Find().SetSort(byID)))}
}

func indexes(db *mongo.Database) any {
	names := must(db.Collection("indexes").Indexes().CreateMany(ctx, []mongo.IndexModel{
		{Keys: d{{"a", 1}, {"b", -1}}},
		{Keys: d{{"c", 1}}, Options: options.Index().SetUnique(true).SetName("only")}}))
	return a{names, all(db.Collection("indexes").Indexes().List(ctx))}
}

func bigDocument(db *mongo.Database) any {
	c := db.Collection("big_document")
	must(c.InsertOne(ctx, d{{"_id", 1}, {"text", strings.Repeat("0123456789", 500_000)}}))
	return digest(c.Find(ctx, d{}))
}

func manyDocuments(db *mongo.Database) any {
	documents := []d{}
	for i := range 20_000 {
		documents = append(documents, d{{"_id", i}, {"text", fmt.Sprint("document ", i)}})
	}
	must(db.Collection("many_documents").InsertMany(ctx, documents))
	return digest(db.Collection("many_documents").Find(ctx, d{}, options.Find().SetSort(byID)))
}

func unicode(db *mongo.Database) any {
	c := db.Collection("unicode_\u00fc")
	must(c.InsertOne(ctx, d{{"_id", "\u4e2d\u6587"}, {"\u00e9", "\U0001f600 \x00 end"}}))
	return all(c.Find(ctx, d{{"_id", "\u4e2d\u6587"}}))
}

func everyType(db *mongo.Database) any {
	c := db.Collection("every_type")
	must(c.InsertOne(ctx, d{
		{"_id", must(bson.ObjectIDFromHex("0123456789abcdef01234567"))}, {"double", 1.5},
		{"infinite", math.Inf(1)}, {"text", "text"},
		{"document", d{{"a", d{{"b", a{1, d{{"c", nil}}}}}}}}, {"array", a{1, "2", a{3}}},
		{"binary", bson.Binary{Subtype: 5, Data: []byte{0, 255}}},
		{"uuid", bson.Binary{Subtype: 4, Data: []byte("0123456789abcdef")}}, {"yes", true},
		{"date", time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)},
		{"old", time.Date(1901, 1, 1, 0, 0, 0, 0, time.UTC)}, {"null", nil},
		{"regex", bson.Regex{Pattern: "^a.b", Options: "i"}}, {"code", bson.JavaScript("f()")},
		{"scoped", bson.CodeWithScope{Code: "f()", Scope: d{{"x", 1}}}}, {"int", int32(5)},
		{"timestamp", bson.Timestamp{T: 9, I: 1}}, {"long", int64(1) << 40},
		{"decimal", must(bson.ParseDecimal128("1.10"))}, {"min", bson.MinKey{}},
		{"max", bson.MaxKey{}}}))
	return one(c.FindOne(ctx, d{}))
}

func unacknowledged(db *mongo.Database) any {
	silent := db.Collection("unacknowledged",
		options.Collection().SetWriteConcern(writeconcern.Unacknowledged()))
	for i := range 5 {
		must(silent.InsertOne(ctx, d{{"_id", i}}))
	}
	return all(db.Collection("unacknowledged").Find(ctx, d{}, options.Find().SetSort(byID)))
}

func session(db *mongo.Database) any {
	session := must(db.Client().StartSession(options.Session().SetCausalConsistency(true)))
	defer session.EndSession(ctx)
	within := mongo.NewSessionContext(ctx, session)
	must(db.Collection("session").InsertOne(within, byID))
	return a{one(db.Collection("session").FindOne(within, byID)), session.OperationTime() != nil}
}

func transaction(db *mongo.Database, name string, end func(*mongo.Session) error) any {
	c := db.Collection(name)
	must(c.InsertOne(ctx, d{{"_id", 0}}))
	session := must(db.Client().StartSession())
	defer session.EndSession(ctx)
	within := mongo.NewSessionContext(ctx, session)
	check(session.StartTransaction())
	must(c.InsertOne(within, byID))
	must(c.UpdateOne(within, d{{"_id", 0}}, d{{"$set", d{{"a", 1}}}}))
	inside := must(c.CountDocuments(within, d{}))
	check(end(session))
	return a{inside, all(c.Find(ctx, d{}, options.Find().SetSort(byID)))}
}

func otherDatabase(db *mongo.Database) any {
	other := db.Client().Database("drivers_other")
	must(other.Collection("c").InsertOne(ctx, byID))
	found := one(other.Collection("c").FindOne(ctx, d{}))
	check(other.Drop(ctx))
	return found
}

func sharded(db *mongo.Database) any {
	c := db.Client().Database("yorkie-meta").Collection("documents")
	documents := []d{}
	for i := range 20 {
		documents = append(documents, d{{"_id", i}, {"project_id", i % 3}, {"key", fmt.Sprint("k", i)}})
	}
	must(c.InsertMany(ctx, documents))
	return a{all(c.Find(ctx, d{{"project_id", 1}}, options.Find().SetSort(byID))),
		all(c.Find(ctx, d{{"key", "k5"}})),
		must(c.UpdateMany(ctx, d{{"key", "k6"}}, d{{"$set", d{{"a", 1}}}})).ModifiedCount,
		must(c.DeleteOne(ctx, d{{"project_id", 2}, {"_id", 5}})).DeletedCount}
}

func sorted(names []string, err error) any {
	check(err)
	slices.Sort(names)
	return names
}

func drop(db *mongo.Database) any {
	check(db.Collection("find").Drop(ctx))
	left := slices.Contains(must(db.ListCollectionNames(ctx, d{})), "find")
	check(db.Drop(ctx))
	return a{left, must(db.ListCollectionNames(ctx, d{}))}
}

var steps = []struct {
	name string
	run  func(*mongo.Database) any
}{
	{"insert_one", func(db *mongo.Database) any {
		return must(db.Collection("insert_one").InsertOne(ctx, d{{"_id", 1}, {"a", "b"}})).InsertedID
	}},
	{"insert_many", func(db *mongo.Database) any {
		c := numbers(db, "insert_many", 10)
		return all(c.Find(ctx, d{}, options.Find().SetSort(byID)))
	}},
	{"find", findMany},
	{"get_more", getMore},
	{"killed_cursor", killedCursor},
	{"aggregate", aggregate},
	{"update_one", updateOne},
	{"update_many", updateMany},
	{"replace_one", replaceOne},
	{"upsert", upsert},
	{"find_one_and_update", findOneAndUpdate},
	{"delete_one", func(db *mongo.Database) any {
		return must(numbers(db, "delete_one", 100).DeleteOne(ctx, d{{"_id", 7}})).DeletedCount
	}},
	{"delete_many", func(db *mongo.Database) any {
		which := d{{"half", d{{"$gte", 25}}}}
		return must(numbers(db, "delete_many", 100).DeleteMany(ctx, which)).DeletedCount
	}},
	{"distinct", func(db *mongo.Database) any {
		found := a{}
		which := d{{"_id", d{{"$gte", 4}}}}
		distinct := numbers(db, "distinct", 12).Distinct(ctx, "half", which)
		check(distinct.Err())
		check(distinct.Decode(&found))
		return found
	}},
	{"count_documents", func(db *mongo.Database) any {
		which := d{{"half", d{{"$lt", 10}}}}
		return must(numbers(db, "count_documents", 100).CountDocuments(ctx, which))
	}},
	{"estimated_document_count", func(db *mongo.Database) any {
		return must(numbers(db, "estimated_document_count", 100).EstimatedDocumentCount(ctx))
	}},
	{"bulk_ordered", func(db *mongo.Database) any { return bulk(db.Collection("bulk_ordered"), true) }},
	{"bulk_unordered", func(db *mongo.Database) any {
		return bulk(db.Collection("bulk_unordered"), false)
	}},
	{"duplicate_key", func(db *mongo.Database) any {
		must(db.Collection("duplicate_key").InsertOne(ctx, byID))
		return must(db.Collection("duplicate_key").InsertOne(ctx, byID))
	}},
	{"indexes", indexes},
	{"big_document", bigDocument},
	{"many_documents", manyDocuments},
	{"unicode", unicode},
	{"every_type", everyType},
	{"unacknowledged", unacknowledged},
	{"session", session},
	{"committed", func(db *mongo.Database) any {
		return transaction(db, "committed", func(s *mongo.Session) error { return s.CommitTransaction(ctx) })
	}},
	{"aborted", func(db *mongo.Database) any {
		return transaction(db, "aborted", func(s *mongo.Session) error { return s.AbortTransaction(ctx) })
	}},
	{"other_database", otherDatabase},
	{"sharded", sharded},
	{"unknown_command", func(db *mongo.Database) any {
		return one(db.RunCommand(ctx, d{{"noSuchCommand", 1}}))
	}},
	{"unknown_operator", func(db *mongo.Database) any {
		return all(db.Collection("unknown_operator").Find(ctx, d{{"a", d{{"$nope", 1}}}}))
	}},
	{"list_collections", func(db *mongo.Database) any { return sorted(db.ListCollectionNames(ctx, d{})) }},
	{"list_databases", func(db *mongo.Database) any {
		return sorted(db.Client().ListDatabaseNames(ctx, d{}))
	}},
	{"drop", drop},
}

// outcome is the step's result, or the error that ended it.
func outcome(step func(*mongo.Database) any, db *mongo.Database) (text string) {
	defer func() {
		if err, ok := recover().(error); ok {
			text = "error " + err.Error()
		}
	}()
	return string(must(bson.MarshalExtJSON(d{{"is", step(db)}}, true, false)))
}

func main() {
	var lock sync.Mutex
	sent := map[string]int{}
	monitor := &event.CommandMonitor{Started: func(_ context.Context, started *event.CommandStartedEvent) {
		lock.Lock()
		defer lock.Unlock()
		sent[started.CommandName]++
	}}
	client, err := mongo.Connect(options.Client().ApplyURI(os.Args[1]).SetMonitor(monitor))
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range steps {
		if !slices.Contains(os.Args[2:], step.name) {
			fmt.Printf("%s: %s\n", step.name, outcome(step.run, client.Database("drivers")))
		}
	}
	if err := client.Disconnect(ctx); err != nil {
		log.Fatal(err)
	}
	names := []string{}
	for name := range sent {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Println("sent", name, sent[name])
	}
}
