// Package shop is an application's layer for its database: the lines that scatter end in "// scatter".
package shop

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func byStatus(ctx context.Context, orders *mongo.Collection, status string) ([]bson.M, error) {
	cursor, err := orders.Find(ctx, bson.D{{"status", status}}, options.Find().SetBatchSize(2)) // scatter
	if err != nil {
		return nil, err
	}
	var found []bson.M
	return found, cursor.All(ctx, &found)
}

func repaint(ctx context.Context, orders *mongo.Collection, color string) error {
	_, err := orders.UpdateMany(ctx, bson.D{{"color", color}}, bson.D{{"$set", bson.D{{"color", "blue"}}}}) // scatter
	return err
}
