package shop

import (
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func connect(with *options.ClientOptions) (*mongo.Client, error) { return mongo.Connect(with) }
