package scattergate;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/** Serves mongo-java-server's memory backend on a free port, until it is killed. */
public final class ForeignServer {
  /** Current drivers refuse the wire version that it gives itself. */
  private static final MongoVersion VERSION =
      new MongoVersion() {
        @Override
        public List<Integer> getVersionArray() {
          return List.of(6, 0, 0);
        }

        @Override
        public int getWireVersion() {
          return 17;
        }
      };

  private ForeignServer() {}

  public static void main(String[] arguments) {
    MemoryBackend backend = new MemoryBackend();
    backend.version(VERSION);
    int port = new MongoServer(backend).bind().getPort();
    System.err.println("foreign server ready on 127.0.0.1:" + port);
  }
}
