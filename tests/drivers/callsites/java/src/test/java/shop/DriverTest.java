package shop;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Updates.set;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.DeleteManyModel;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.UpdateOptions;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scattergate.CallSites;

class DriverTest {
  private MongoClient client;
  private MongoCollection<Document> orders;

  @BeforeEach
  void connect() {
    client = CallSites.around(MongoClients.create(System.getenv("MONGODB_URI")));
    orders = client.getDatabase("shop").getCollection("orders");
    orders.deleteMany(gte("customer", 0));
    List<Document> all = new ArrayList<>();
    for (int i = 0; i < 10; ++i) {
      all.add(new Document("_id", i).append("customer", i).append("status", "open").append("amount", i));
    }
    orders.insertMany(all);
  }

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  void reads() {
    assertEquals(3, orders.find(eq("amount", 3)).first().getInteger("customer")); // scatter
    assertEquals(10, new Orders(orders).byStatus("open").into(new ArrayList<>()).size());
    assertEquals(3, orders.countDocuments(gt("amount", 6))); // scatter
    assertEquals("open", orders.distinct("status", eq("amount", 4), String.class).first()); // scatter
    assertEquals(2, orders.aggregate(List.of(Aggregates.match(lt("amount", 2)))).into(new ArrayList<>()).size()); // scatter
    assertEquals(5, orders.find(eq("customer", 5)).first().getInteger("amount"));
    Document found = client.getDatabase("shop").runCommand( // scatter
        Document.parse("{find: 'orders', filter: {amount: 9}}"));
    assertEquals(1, found.get("cursor", Document.class).getList("firstBatch", Document.class).size());
  }

  @ParameterizedTest
  @ValueSource(ints = 7)
  void writes(int amount) {
    UpdateOptions options = new UpdateOptions();
    orders.updateMany(eq("amount", amount), set("color", "red"), options); // scatter
    assertNull(options.getComment());
    assertEquals(1, new Orders(orders).repaint("red"));
    assertEquals(1, orders.bulkWrite(List.of( // scatter
        new InsertOneModel<>(new Document("_id", 20).append("customer", 20)),
        new DeleteManyModel<>(eq("amount", 8)))).getDeletedCount());
    assertEquals(6, orders.findOneAndUpdate(eq("amount", 6), set("n", 1)).getInteger("customer")); // scatter
    assertEquals(2, orders.findOneAndUpdate(and(eq("customer", 2), eq("_id", 2)), set("n", 2)).getInteger("amount"));
    assertEquals(1, orders.deleteMany(eq("amount", 9)).getDeletedCount()); // scatter
  }

  @Test
  void commentsOfTheApplicationStay() {
    orders.find(and(eq("amount", 1), eq("x", null))).comment("the page of orders").first(); // scatter
    orders.find(and(eq("amount", 1), eq("z", null))).comment("Elsewhere.java:7").first();
    orders.updateMany(and(eq("amount", 1), eq("y", null)), set("n", 1),
        new UpdateOptions().comment(new BsonDocument()));
  }

  @Test
  void transactions() {
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      assertEquals(1, orders.updateMany(session, and(eq("amount", 3), eq("n", null)), set("n", 3)).getModifiedCount()); // scatter
      session.commitTransaction();
    }
  }

  @Test
  void threads() throws InterruptedException {
    Thread worker = new Thread(() -> orders.find(and(eq("amount", 1), eq("n", null))).first()); // scatter
    worker.start();
    worker.join();
  }
}
