package shop;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import org.bson.Document;

/** An application's layer for its database: the lines that scatter end in "// scatter". */
final class Orders {
  private final MongoCollection<Document> all;

  Orders(MongoCollection<Document> all) {
    this.all = all;
  }

  FindIterable<Document> byStatus(String status) {
    return all.find(eq("status", status)).batchSize(2).sort(new Document("amount", 1)); // scatter
  }

  long repaint(String color) {
    return all.updateMany(eq("color", color), set("color", "blue")).getModifiedCount(); // scatter
  }
}
