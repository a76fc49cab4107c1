// Clients that change documents by a query that a rule throttles: throttle URI CLIENTS MS
//
// Prints how often they were let on and refused, and the labels of the refusals.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type counts struct {
	Done    int      `json:"done"`
	Refused int      `json:"refused"`
	Labels  []string `json:"labels"`
}

const refusedCode = 462

func work(uri string, until time.Time) counts {
	ctx := context.Background()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		log.Fatal(err)
	}
	documents := client.Database("yorkie-meta").Collection("documents")
	made := counts{Labels: []string{}}
	for time.Now().Before(until) {
		_, err := documents.UpdateMany(ctx, bson.D{{"key", "k"}}, bson.D{{"$inc", bson.D{{"n", 1}}}})
		var refusal mongo.CommandError
		switch {
		case err == nil:
			made.Done++
		case errors.As(err, &refusal) && refusal.Code == refusedCode:
			made.Refused++
			made.Labels = refusal.Labels
			time.Sleep(20 * time.Millisecond)
		default:
			log.Fatal(err)
		}
	}
	if err := client.Disconnect(ctx); err != nil {
		log.Fatal(err)
	}
	return made
}

func main() {
	clients, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	milliseconds, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	until := time.Now().Add(time.Duration(milliseconds) * time.Millisecond)
	made := make([]counts, clients)
	var working sync.WaitGroup
	for i := range made {
		working.Go(func() { made[i] = work(os.Args[1], until) })
	}
	working.Wait()
	all := counts{Labels: []string{}}
	for _, one := range made {
		all.Done += one.Done
		all.Refused += one.Refused
		all.Labels = append(all.Labels, one.Labels...)
	}
	slices.Sort(all.Labels)
	all.Labels = slices.Compact(all.Labels)
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		log.Fatal(err)
	}
}
