package shop

import (
	"context"
	"os"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"shop/internal/callsites"
)

var ctx = context.Background()

func filled(t *testing.T) *mongo.Collection {
	client, err := connect(options.Client().ApplyURI(os.Getenv("MONGODB_URI")).SetDialer(callsites.Dialer{}))
	must(t, err)
	t.Cleanup(func() { client.Disconnect(ctx) })
	orders := client.Database("shop").Collection("orders")
	_, err = orders.DeleteMany(ctx, bson.D{{"customer", bson.D{{"$gte", 0}}}})
	must(t, err)
	var all []any
	for i := range 10 {
		all = append(all, bson.D{{"_id", i}, {"customer", i}, {"status", "open"}, {"amount", i}})
	}
	_, err = orders.InsertMany(ctx, all)
	must(t, err)
	return orders
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func customer(t *testing.T, of *mongo.SingleResult) int {
	t.Helper()
	var found struct{ Customer int }
	must(t, of.Decode(&found))
	return found.Customer
}

func TestReads(t *testing.T) {
	orders := filled(t)
	if customer(t, orders.FindOne(ctx, bson.D{{"amount", 3}})) != 3 { // scatter
		t.Fail()
	}
	found, err := byStatus(ctx, orders, "open")
	must(t, err)
	if len(found) != 10 {
		t.Fail()
	}
	t.Run("of a number", func(t *testing.T) {
		count, err := orders.CountDocuments(ctx, bson.D{{"amount", bson.D{{"$gt", 6}}}}) // scatter
		must(t, err)
		if count != 3 {
			t.Fail()
		}
	})
	orders.Distinct(ctx, "status", bson.D{{"amount", 4}})                                                      // scatter
	cursor, err := orders.Aggregate(ctx, mongo.Pipeline{{{"$match", bson.D{{"amount", bson.D{{"$lt", 2}}}}}}}) // scatter
	must(t, err)
	must(t, cursor.All(ctx, &found))
	if len(found) != 2 || customer(t, orders.FindOne(ctx, bson.D{{"customer", 5}})) != 5 {
		t.Fail()
	}
}

func TestWrites(t *testing.T) {
	orders := filled(t)
	_, err := orders.UpdateMany(ctx, bson.D{{"amount", 7}}, bson.D{{"$set", bson.D{{"color", "red"}}}}) // scatter
	must(t, err)
	must(t, repaint(ctx, orders, "red"))
	done, err := orders.BulkWrite(ctx, []mongo.WriteModel{ // scatter
		mongo.NewDeleteManyModel().SetFilter(bson.D{{"amount", 8}}),
	})
	must(t, err)
	if done.DeletedCount != 1 {
		t.Fail()
	}
	orders.FindOneAndUpdate(ctx, bson.D{{"amount", 6}}, bson.D{{"$set", bson.D{{"n", 1}}}}) // scatter
	if customer(t, orders.FindOneAndUpdate(ctx, bson.D{{"customer", 2}, {"_id", 2}}, bson.D{{"$set", bson.D{{"n", 2}}}})) != 2 {
		t.Fail()
	}
}

func TestParallel(t *testing.T) {
	orders := filled(t)
	var all sync.WaitGroup
	for _, ask := range []func(){
		func() { orders.FindOne(ctx, bson.D{{"amount", 1}, {"a", nil}}) }, // scatter
		func() { orders.FindOne(ctx, bson.D{{"amount", 2}, {"b", nil}}) }, // scatter
	} {
		all.Add(1)
		go func() { defer all.Done(); ask() }()
	}
	all.Wait()
}

func TestComments(t *testing.T) {
	orders := filled(t)
	if customer(t, orders.FindOne(ctx, bson.D{{"amount", 1}, {"x", nil}}, options.FindOne().SetComment("the page of orders"))) != 1 { // scatter
		t.Fail()
	}
	if customer(t, orders.FindOne(ctx, bson.D{{"amount", 1}, {"z", nil}}, options.FindOne().SetComment("elsewhere.go:7"))) != 1 {
		t.Fail()
	}
}
