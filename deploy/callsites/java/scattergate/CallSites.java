package scattergate;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.codecs.configuration.CodecRegistry;
import org.bson.conversions.Bson;

/**
 * Adds to each MongoDB command the line of the application that sent it, and the running test.
 *
 * <p>Both go into the command's comment: file='/src/Orders.java',line='42',test='OrdersTest.lists'. {@code scattergate
 * gate} and {@code scattergate report} read them. A comment of the application stays, after them.
 *
 * <p>Copy this file to src/test/java/scattergate, and use it where the tests make their client:
 *
 * <pre>MongoClient client = CallSites.around(MongoClients.create(uri));</pre>
 *
 * <p>It supports the synchronous and the reactive client of Java's driver 4.6 and later. For Spring see CallSitesInSpring.
 */
public final class CallSites {
  /** Servers before 4.4 (wire version 9) accept a comment in find and aggregate only. */
  private static final int WIRE_VERSION_OF_4_4 = 9;

  private static final Set<String> COMMANDS = Set.of("find", "aggregate");
  private static final Set<String> COMMANDS_SINCE_4_4 = Set.of("bulkWrite", "collMod", "count", "createIndexes", "delete",
      "distinct", "dropIndexes", "findAndModify", "insert", "mapReduce", "renameCollection", "update");
  private static final int MOST_OF_PATH = 160; // scattergate keeps 256 bytes of a comment
  private static final int MOST_OF_TEST = 100;
  private static final Pattern PLACE = Pattern.compile("\\.\\w+:\\d|file(path|name)?='");

  /** Interfaces whose objects send commands, or make objects that do. */
  private static final Pattern SENDERS = Pattern.compile("com\\.mongodb\\.(reactivestreams\\.)?client\\."
      + "(Mongo(Client|Cluster|Database|Collection)|(Find|Aggregate|Distinct|ChangeStream)(Iterable|Publisher))");

  private static final Pattern OPTIONS =
      Pattern.compile("com\\.mongodb\\.(internal\\.)?client\\.model\\.(bulk\\.)?\\w+Options");
  private static final Pattern LIBRARIES = Pattern.compile("(java|javax|jdk|sun|com\\.(sun|mongodb|intellij)|org\\.(bson|"
      + "springframework|aopalliance|junit|testng|apiguardian|opentest4j|apache|gradle|mockito|reactivestreams|spockframework|"
      + "codehaus\\.groovy)|reactor|rx|io\\.(reactivex|micrometer|netty|micronaut|quarkus|kotest)|net\\.bytebuddy|kotlin|"
      + "kotlinx|scala|groovy|dev\\.morphia|scattergate)\\..*");
  private static final Pattern LIBRARY_FILES = Pattern.compile(".*/(\\.m2|\\.gradle|\\.ivy2|BOOT-INF/lib)/.*");
  private static final Pattern TEST_ANNOTATIONS = Pattern.compile(
      "org\\.junit\\.(jupiter\\.(api|params)\\.)?(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)"
      + "|org\\.testng\\.annotations\\.Test");

  private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final Map<Class<?>, Optional<String>> SOURCES = new ConcurrentHashMap<>();
  private static final Map<Class<?>, Set<String>> TESTS = new ConcurrentHashMap<>();

  private CallSites() {}

  /** Returns a client, database or collection that adds the comments and otherwise does what the given one does. */
  @SuppressWarnings("unchecked")
  public static <T> T around(T sender) {
    return isSender(sender) ? (T) proxy(sender, () -> true, null) : sender;
  }

  /** Whether the object is a client, database or collection of Java's driver. */
  public static boolean isSender(Object object) {
    return object != null && interfaces(object).stream().anyMatch(one -> SENDERS.matcher(one.getName()).matches());
  }

  private interface Version {
    boolean isSince44();
  }

  private static Object proxy(Object target, Version version, String comment) {
    if (Proxy.isProxyClass(target.getClass()) && Proxy.getInvocationHandler(target) instanceof Sender) {
      return target;
    }
    Class<?>[] all = interfaces(target).stream().filter(one -> Modifier.isPublic(one.getModifiers())).toArray(Class<?>[]::new);
    return Proxy.newProxyInstance(target.getClass().getClassLoader(), all, new Sender(target, version, comment));
  }

  private static Set<Class<?>> interfaces(Object object) {
    Set<Class<?>> all = new LinkedHashSet<>();
    for (Class<?> one = object.getClass(); one != null; one = one.getSuperclass()) {
      all.addAll(Arrays.asList(one.getInterfaces()));
    }
    return all;
  }

  /** Calls the target's methods, with a comment. */
  private static final class Sender implements InvocationHandler {
    private final Object target;
    private final Version version;
    private final String made; // the comment of what a collection's method made: of its line, not of the one that reads it

    Sender(Object target, Version version, String made) {
      this.target = target;
      this.version = target.getClass().getSimpleName().startsWith("MongoClient") ? this::isSince44 : version;
      this.made = made;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] given) throws Throwable {
      Object[] args = given == null ? new Object[0] : given;
      try {
        if (method.getDeclaringClass() == Object.class) {
          return method.getName().equals("equals") ? isSame(args[0]) : method.invoke(target, args);
        }
        if (made != null) {
          return ofMade(proxy, method, args);
        }
        return result(method, call(method, args));
      } catch (InvocationTargetException failed) {
        throw failed.getCause();
      }
    }

    private boolean isSame(Object other) {
      return target.equals(other != null && Proxy.isProxyClass(other.getClass())
          && Proxy.getInvocationHandler(other) instanceof Sender ? ((Sender) Proxy.getInvocationHandler(other)).target : other);
    }

    /** Calls a method of what find, aggregate, distinct or watch returned. */
    private Object ofMade(Object proxy, Method method, Object[] args) throws Exception {
      if (method.getName().equals("comment")) {
        boolean isString = args[0] instanceof String;
        BsonValue comment = merged(made, isString ? new BsonString((String) args[0]) : (BsonValue) args[0]);
        args[0] = isString || method.getParameterTypes()[0] == String.class ? comment.asString().getValue() : comment;
      }
      Object returned = method.invoke(target, args);
      return returned == target ? proxy : returned;
    }

    private Object result(Method method, Object returned) throws Exception {
      if (!isSender(returned)) {
        return returned;
      }
      Class<?> type = method.getReturnType();
      if (!isMade(type)) {
        return proxy(returned, version, null);
      }
      boolean accepts = !type.getSimpleName().startsWith("Distinct") || version.isSince44();
      String comment = accepts ? comment() : "";
      if (comment.isEmpty()) {
        return returned;
      }
      type.getMethod("comment", String.class).invoke(returned, comment);
      return proxy(returned, version, comment);
    }

    private static boolean isMade(Class<?> type) {
      return SENDERS.matcher(type.getName()).matches() && type.getSimpleName().matches(".*(Iterable|Publisher)");
    }

    private Object call(Method method, Object[] args) throws Exception {
      if (method.getName().equals("runCommand")) {
        return method.invoke(target, withComment(args));
      }
      Object last = args.length == 0 ? null : args[args.length - 1];
      Method own = last == null ? null : setter(last.getClass());
      Method other = own == null ? withOptions(method) : null;
      String comment = (own != null || other != null) && version.isSince44() ? comment() : "";
      if (comment.isEmpty()) {
        return method.invoke(target, args);
      }
      if (own != null) {
        return withComment(method, args, last, own, comment);
      }
      Class<?> type = other.getParameterTypes()[args.length];
      Object[] more = Arrays.copyOf(args, args.length + 1);
      more[args.length] = made(type);
      setter(type).invoke(more[args.length], new BsonString(comment));
      return other.invoke(target, more);
    }

    private static Object made(Class<?> options) throws Exception {
      return options.isInterface() ? options.getMethod("clientBulkWriteOptions").invoke(null)
          : options.getConstructor().newInstance();
    }

    /** Calls with the application's options, which are the same afterwards. */
    private Object withComment(Method method, Object[] args, Object options, Method setter, String comment) throws Exception {
      Object value = options.getClass().getMethod("getComment").invoke(options);
      BsonValue given = (BsonValue) (value instanceof Optional ? ((Optional<?>) value).orElse(null) : value);
      synchronized (options) {
        setter.invoke(options, merged(comment, given));
        try {
          return method.invoke(target, args);
        } finally {
          setter.invoke(options, given);
        }
      }
    }

    /** The arguments of runCommand, with a comment in a copy of the command. */
    private Object[] withComment(Object[] args) throws Exception {
      Object[] changed = args.clone();
      for (int i = 0; i < args.length && i < 2; i++) {
        if (args[i] instanceof Bson) {
          CodecRegistry registry = (CodecRegistry) target.getClass().getMethod("getCodecRegistry").invoke(target);
          BsonDocument command = ((Bson) args[i]).toBsonDocument(BsonDocument.class, registry).clone();
          String name = command.isEmpty() ? "" : command.getFirstKey();
          BsonValue comment = COMMANDS.contains(name) || COMMANDS_SINCE_4_4.contains(name) && version.isSince44()
              ? merged(comment(), command.get("comment")) : null;
          if (comment != null) {
            command.put("comment", comment);
            changed[i] = command;
          }
        }
      }
      return changed;
    }

    /** The method with the same parameters and options that take a comment; null if there is none. */
    private static Method withOptions(Method method) {
      Class<?>[] types = method.getParameterTypes();
      for (Method other : method.getDeclaringClass().getMethods()) {
        Class<?>[] more = other.getParameterTypes();
        if (other.getName().equals(method.getName()) && more.length == types.length + 1
            && Arrays.equals(types, Arrays.copyOf(more, types.length)) && setter(more[types.length]) != null) {
          return other;
        }
      }
      return null;
    }

    /** The method that sets the comment of options; null if they have none. */
    private static Method setter(Class<?> options) {
      try {
        return OPTIONS.matcher(options.getName()).matches() ? options.getMethod("comment", BsonValue.class) : null;
      } catch (NoSuchMethodException none) {
        return null;
      }
    }

    /** Whether the servers of this client are of 4.4 or later; waits a little until one is known. */
    private boolean isSince44() {
      try {
        for (int tries = 0; tries < 200; ++tries) {
          Object cluster = target.getClass().getMethod("getClusterDescription").invoke(target);
          boolean known = false;
          for (Object server : (List<?>) cluster.getClass().getMethod("getServerDescriptions").invoke(cluster)) {
            boolean ok = (boolean) server.getClass().getMethod("isOk").invoke(server);
            if (ok && (int) server.getClass().getMethod("getMaxWireVersion").invoke(server) < WIRE_VERSION_OF_4_4) {
              return false;
            }
            known |= ok;
          }
          if (known) {
            return true;
          }
          Thread.sleep(10);
        }
      } catch (ReflectiveOperationException unknown) {
        return true;
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      return true;
    }
  }

  /** The comment, and then the application's; that alone if it isn't a string. */
  private static BsonValue merged(String comment, BsonValue given) {
    if (given == null || given.isNull()) {
      return comment.isEmpty() ? given : new BsonString(comment);
    }
    if (!given.isString()) {
      return given;
    }
    String text = given.asString().getValue();
    // The line is left out if the application names one.
    String parts = PLACE.matcher(text).find() ? comment.replaceFirst("^file='[^']*',line='\\d+',?", "") : comment;
    return new BsonString(parts.isEmpty() ? text : parts + " " + text);
  }

  /** The nearest line of the application on the stack, and the test below. */
  private static String comment() {
    List<String> parts = new ArrayList<>();
    STACK.walk(frames -> {
      String[] found = new String[2];
      frames.filter(CallSites::isOfApplication).forEach(frame -> {
        if (found[0] == null) {
          found[0] = "file='" + path(frame) + "',line='" + frame.getLineNumber() + "'";
        }
        if (TESTS.computeIfAbsent(frame.getDeclaringClass(), CallSites::tests).contains(frame.getMethodName())) {
          String name = frame.getDeclaringClass().getName();
          found[1] = name.substring(name.lastIndexOf('.') + 1) + "." + frame.getMethodName();
        }
      });
      if (found[0] != null) {
        parts.add(found[0]);
      }
      if (found[1] != null) {
        parts.add("test='" + written(found[1].substring(0, Math.min(found[1].length(), MOST_OF_TEST))) + "'");
      }
      return null;
    });
    return String.join(",", parts);
  }

  private static boolean isOfApplication(StackWalker.StackFrame frame) {
    return frame.getLineNumber() > 0 && frame.getFileName() != null && frame.getFileName().contains(".")
        && source(frame.getDeclaringClass(), frame.getFileName()).isPresent();
  }

  private static String path(StackWalker.StackFrame frame) {
    return source(frame.getDeclaringClass(), frame.getFileName()).orElseThrow();
  }

  /** The path of a class's source, as it is written in a comment; empty for a library's. */
  private static Optional<String> source(Class<?> type, String name) {
    return SOURCES.computeIfAbsent(type, one -> {
      Path built = builtIn(one);
      if (LIBRARIES.matcher(one.getName()).matches() || built == null
          || LIBRARY_FILES.matcher(built.toString().replace('\\', '/')).matches()) {
        return Optional.empty();
      }
      String path = written(sourceFile(built, one.getPackageName().replace('.', '/'), name).replace('\\', '/'));
      if (path.length() > MOST_OF_PATH) { // the end of a long path is enough to find the file
        path = path.substring(path.indexOf('/', path.length() - MOST_OF_PATH));
      }
      return Optional.of(path);
    });
  }

  /** The folder or archive of a class; null if it has none. */
  private static Path builtIn(Class<?> type) {
    try {
      CodeSource source = type.getProtectionDomain().getCodeSource();
      String location = source == null || source.getLocation() == null ? "" : source.getLocation().toString();
      location = location.replaceFirst("^jar:(nested:)?", "").replaceFirst("!.*", "");
      return location.isEmpty() ? null : Path.of(location.startsWith("file:") ? URI.create(location) : Path.of(location).toUri());
    } catch (RuntimeException unknown) {
      return null;
    }
  }

  /** The source's path, in the folders of Maven and Gradle (src/main/java) of a module that holds the built class. */
  private static String sourceFile(Path built, String folder, String name) {
    String below = folder.isEmpty() ? name : folder + "/" + name;
    for (Path module = built; module != null; module = module.getParent()) {
      List<Path> roots = new ArrayList<>(List.of(module));
      folders(module.resolve("src")).forEach(one -> roots.addAll(folders(one)));
      for (Path root : roots) {
        // Kotlin's sources may leave out the first packages.
        for (String path = below; !path.isEmpty(); path = path.contains("/") ? path.substring(path.indexOf('/') + 1) : "") {
          if (Files.isRegularFile(root.resolve(path))) {
            return root.resolve(path).toString();
          }
        }
      }
    }
    return below;
  }

  private static List<Path> folders(Path of) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(of, Files::isDirectory)) {
      all.forEach(found::add);
    } catch (IOException none) {
      // isn't a folder
    }
    return found;
  }

  /** The names of a class's tests. */
  private static Set<String> tests(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> Arrays.stream(method.getAnnotations())
            .anyMatch(one -> TEST_ANNOTATIONS.matcher(one.annotationType().getName()).matches()))
        .map(Method::getName)
        .collect(Collectors.toSet());
  }

  /** Escapes a text as sqlcommenter does. */
  private static String written(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("%2F", "/").replace("%24", "$");
  }
}
