package scattergate;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.ConnectionString;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateManyModel;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.bson.BsonRegularExpression;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.bson.types.Binary;
import org.bson.types.Code;
import org.bson.types.CodeWithScope;
import org.bson.types.Decimal128;
import org.bson.types.MaxKey;
import org.bson.types.MinKey;
import org.bson.types.ObjectId;

/**
 * The script of operations by Java's synchronous driver: Script URI [steps to leave out...]
 *
 * <p>Prints a line per step, its result as canonical Extended JSON or its error, and at last how
 * often each command was sent, by the driver's own account.
 */
public final class Script {
  private interface Step {
    Object run();
  }

  private static final JsonWriterSettings CANONICAL =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();
  private static final Document BY_ID = new Document("_id", 1);

  private final MongoClient client;
  private final MongoDatabase db;
  private final Map<String, Step> steps = new LinkedHashMap<>();

  private Script(MongoClient client) {
    this.client = client;
    this.db = client.getDatabase("drivers");
    addReads();
    addWrites();
    addBulks();
    addShapesAndSizes();
    addSessions();
    addDefinitions();
  }

  private static String textOf(Object value) {
    return new Document("is", value).toJson(CANONICAL);
  }

  private static List<Object> list(Object... members) {
    return Arrays.asList(members);
  }

  private static <T> List<T> all(Iterable<T> from) {
    List<T> found = new ArrayList<>();
    from.forEach(found::add);
    return found;
  }

  private static Object digest(Iterable<Document> from) {
    try {
      MessageDigest found = MessageDigest.getInstance("SHA-256");
      int count = 0;
      for (Document each : from) {
        found.update(textOf(each).getBytes(StandardCharsets.UTF_8));
        ++count;
      }
      return list(count, HexFormat.of().formatHex(found.digest()));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private MongoCollection<Document> of(String name) {
    return db.getCollection(name);
  }

  private MongoCollection<Document> numbers(String name, int count) {
    of(name)
        .insertMany(
            IntStream.range(0, count)
                .mapToObj(i -> new Document("_id", i).append("half", i / 2).append("text", "n" + i))
                .toList());
    return of(name);
  }

  private void addReads() {
    steps.put(
        "find",
        () ->
            all(numbers("find", 100)
                .find(gte("half", 10))
                .projection(new Document("text", 1))
                .sort(new Document("_id", -1))
                .skip(2)
                .limit(5)));
    steps.put("get_more", () -> digest(numbers("get_more", 100).find().batchSize(7).sort(BY_ID)));
    steps.put("killed_cursor", this::killedCursor);
    steps.put(
        "aggregate",
        () ->
            all(numbers("aggregate", 100)
                .aggregate(
                    List.of(
                        Document.parse("{$match: {_id: {$lt: 40}}}"),
                        Document.parse("{$group: {_id: '$half', sum: {$sum: '$_id'}}}"),
                        new Document("$sort", BY_ID)))
                .batchSize(3)));
    steps.put(
        "distinct",
        () -> all(numbers("distinct", 12).distinct("half", gte("_id", 4), Integer.class)));
    steps.put(
        "count_documents", () -> numbers("count_documents", 100).countDocuments(lt("half", 10)));
    steps.put(
        "estimated_document_count",
        () -> numbers("estimated_document_count", 100).estimatedDocumentCount());
  }

  private Object killedCursor() {
    List<Document> seen = new ArrayList<>();
    try (MongoCursor<Document> cursor =
        numbers("killed_cursor", 100).find().batchSize(5).sort(BY_ID).iterator()) {
      while (seen.size() < 7) {
        seen.add(cursor.next());
      }
    }
    return seen;
  }

  private void addWrites() {
    steps.put(
        "insert_one",
        () -> of("insert_one").insertOne(new Document("_id", 1).append("a", "b")).toString());
    steps.put("insert_many", () -> all(numbers("insert_many", 10).find().sort(BY_ID)));
    steps.put(
        "update_one",
        () -> {
          var done = numbers("update_one", 100).updateOne(eq(3), set("text", "new"));
          return list(done.toString(), of("update_one").find(eq(3)).first());
        });
    steps.put(
        "update_many",
        () -> numbers("update_many", 100).updateMany(lt("half", 5), inc("half", 100)).toString());
    steps.put(
        "replace_one",
        () -> {
          var done = numbers("replace_one", 100).replaceOne(eq(4), new Document("other", 1));
          return list(done.toString(), of("replace_one").find(eq(4)).first());
        });
    steps.put(
        "upsert",
        () -> {
          var done = of("upsert").updateOne(eq(5), set("a", 1), new UpdateOptions().upsert(true));
          return list(done.toString(), all(of("upsert").find()));
        });
    steps.put(
        "find_one_and_update",
        () ->
            numbers("find_one_and_update", 100)
                .findOneAndUpdate(
                    eq(6),
                    set("text", "new"),
                    new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER)));
    steps.put("delete_one", () -> numbers("delete_one", 100).deleteOne(eq(7)).toString());
    steps.put(
        "delete_many", () -> numbers("delete_many", 100).deleteMany(gte("half", 25)).toString());
    steps.put(
        "duplicate_key",
        () -> {
          of("duplicate_key").insertOne(new Document("_id", 1));
          return of("duplicate_key").insertOne(new Document("_id", 1)).toString();
        });
    steps.put("unacknowledged", this::unacknowledged);
    steps.put("sharded", this::sharded);
  }

  private Object unacknowledged() {
    var silent = of("unacknowledged").withWriteConcern(WriteConcern.UNACKNOWLEDGED);
    for (int i = 0; i < 5; ++i) {
      silent.insertOne(new Document("_id", i));
    }
    return all(of("unacknowledged").find().sort(BY_ID));
  }

  private Object sharded() {
    var c = client.getDatabase("yorkie-meta").getCollection("documents");
    c.insertMany(
        IntStream.range(0, 20)
            .mapToObj(i -> new Document("_id", i).append("project_id", i % 3).append("key", "k" + i))
            .toList());
    return list(
        all(c.find(eq("project_id", 1)).sort(BY_ID)),
        all(c.find(eq("key", "k5"))),
        c.updateMany(eq("key", "k6"), set("a", 1)).toString(),
        c.deleteOne(new Document("project_id", 2).append("_id", 5)).toString());
  }

  private void addBulks() {
    for (boolean ordered : new boolean[] {true, false}) {
      String name = ordered ? "bulk_ordered" : "bulk_unordered";
      steps.put(name, () -> bulk(of(name), ordered));
    }
  }

  private static Object bulk(MongoCollection<Document> c, boolean ordered) {
    c.insertOne(new Document("_id", 1));
    List<Object> failed = new ArrayList<>();
    BulkWriteResult done;
    try {
      done =
          c.bulkWrite(
              List.of(
                  new InsertOneModel<>(new Document("_id", 2)),
                  new InsertOneModel<>(new Document("_id", 1)),
                  new UpdateOneModel<>(eq(2), set("a", 1)),
                  new UpdateManyModel<>(new Document(), set("b", 1)),
                  new ReplaceOneModel<>(
                      eq(3), new Document("c", 1), new ReplaceOptions().upsert(true)),
                  new DeleteOneModel<>(eq(1))),
              new BulkWriteOptions().ordered(ordered));
    } catch (MongoBulkWriteException refused) {
      done = refused.getWriteResult();
      for (BulkWriteError each : refused.getWriteErrors()) {
        failed.add(list(each.getIndex(), each.getCode(), each.getMessage()));
      }
    }
    return list(failed, done.toString(), all(c.find().sort(BY_ID)));
  }

  private void addShapesAndSizes() {
    steps.put(
        "big_document",
        () -> {
          of("big_document")
              .insertOne(new Document("_id", 1).append("text", "0123456789".repeat(500_000)));
          return digest(of("big_document").find());
        });
    steps.put(
        "many_documents",
        () -> {
          of("many_documents")
              .insertMany(
                  IntStream.range(0, 20_000)
                      .mapToObj(i -> new Document("_id", i).append("text", "document " + i))
                      .toList());
          return digest(of("many_documents").find().sort(BY_ID));
        });
    steps.put(
        "unicode",
        () -> {
          var c = of("unicode_\u00fc");
          c.insertOne(
              new Document("_id", "\u4e2d\u6587").append("\u00e9", "\ud83d\ude00 \u0000 end"));
          return all(c.find(eq("\u4e2d\u6587")));
        });
    steps.put("every_type", this::everyType);
  }

  private Object everyType() {
    of("every_type")
        .insertOne(
            new Document("_id", new ObjectId("0123456789abcdef01234567"))
                .append("double", 1.5)
                .append("infinite", Double.POSITIVE_INFINITY)
                .append("text", "text")
                .append("document", Document.parse("{a: {b: [1, {c: null}]}}"))
                .append("array", list(1, "2", list(3)))
                .append("binary", new Binary((byte) 5, new byte[] {0, -1}))
                .append("uuid", new Binary((byte) 4, new byte[16]))
                .append("yes", true)
                .append("date", Date.from(Instant.parse("2024-02-29T12:00:00Z")))
                .append("old", Date.from(Instant.parse("1901-01-01T00:00:00Z")))
                .append("null", null)
                .append("regex", new BsonRegularExpression("^a.b", "i"))
                .append("code", new Code("f()"))
                .append("scoped", new CodeWithScope("f()", new Document("x", 1)))
                .append("int", 5)
                .append("timestamp", new BsonTimestamp(9, 1))
                .append("long", 1L << 40)
                .append("decimal", Decimal128.parse("1.10"))
                .append("min", new MinKey())
                .append("max", new MaxKey()));
    return of("every_type").find().first();
  }

  private void addSessions() {
    steps.put(
        "session",
        () -> {
          try (ClientSession session = client.startSession()) {
            of("session").insertOne(session, new Document("_id", 1));
            Object found = of("session").find(session, eq(1)).first();
            return list(found, session.getOperationTime() != null);
          }
        });
    steps.put("committed", () -> transaction("committed", ClientSession::commitTransaction));
    steps.put("aborted", () -> transaction("aborted", ClientSession::abortTransaction));
  }

  private Object transaction(String name, Consumer<ClientSession> end) {
    of(name).insertOne(new Document("_id", 0));
    long inside;
    try (ClientSession session = client.startSession()) {
      session.startTransaction();
      of(name).insertOne(session, new Document("_id", 1));
      of(name).updateOne(session, eq(0), set("a", 1));
      inside = of(name).countDocuments(session);
      end.accept(session);
    }
    return list(inside, all(of(name).find().sort(BY_ID)));
  }

  private void addDefinitions() {
    steps.put(
        "indexes",
        () -> {
          Bson two = new Document("a", 1).append("b", -1);
          var options = new IndexOptions().unique(true).name("only");
          var names =
              list(
                  of("indexes").createIndex(two),
                  of("indexes").createIndex(new Document("c", 1), options));
          return list(names, all(of("indexes").listIndexes()));
        });
    steps.put(
        "other_database",
        () -> {
          MongoDatabase other = client.getDatabase("drivers_other");
          other.getCollection("c").insertOne(new Document("_id", 1));
          Object found = other.getCollection("c").find().first();
          other.drop();
          return found;
        });
    steps.put("unknown_command", () -> db.runCommand(new Document("noSuchCommand", 1)));
    steps.put(
        "unknown_operator",
        () -> all(of("unknown_operator").find(Document.parse("{a: {$nope: 1}}"))));
    steps.put("list_collections", () -> all(db.listCollectionNames()).stream().sorted().toList());
    steps.put("list_databases", () -> all(client.listDatabaseNames()).stream().sorted().toList());
    steps.put(
        "drop",
        () -> {
          of("find").drop();
          boolean left = all(db.listCollectionNames()).contains("find");
          db.drop();
          return list(left, all(db.listCollectionNames()));
        });
  }

  private void run(List<String> leftOut) {
    steps.forEach(
        (name, step) -> {
          if (leftOut.contains(name)) {
            return;
          }
          String result;
          try {
            result = textOf(step.run());
          } catch (MongoException error) {
            // The driver adds the whole reply, with the time from the server.
            String message = error.getMessage().replaceAll(" The full response is .*", "");
            result = "error " + error.getCode() + " " + message;
          }
          System.out.println(name + ": " + result);
        });
  }

  public static void main(String[] arguments) {
    Map<String, Integer> sent = new TreeMap<>();
    CommandListener tally =
        new CommandListener() {
          @Override
          public void commandStarted(CommandStartedEvent event) {
            synchronized (sent) {
              sent.merge(event.getCommandName(), 1, Integer::sum);
            }
          }
        };
    MongoClientSettings settings =
        MongoClientSettings.builder()
            .applyConnectionString(new ConnectionString(arguments[0]))
            .addCommandListener(tally)
            .build();
    try (MongoClient client = MongoClients.create(settings)) {
      new Script(client).run(List.of(arguments).subList(1, arguments.length));
    }
    sent.forEach((name, count) -> System.out.println("sent " + name + " " + count));
  }
}
