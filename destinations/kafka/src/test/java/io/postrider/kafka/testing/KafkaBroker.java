package io.postrider.kafka.testing;

import io.postrider.tck.server.Folders;
import io.postrider.tck.server.LocalServer;
import io.postrider.tck.server.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.jspecify.annotations.Nullable;

/**
 * One Kafka node, controller and broker in one, as a process of its own: it can be killed, paused, and started again on
 * the same port with the same data. Needs {@code kafka_2.13} and {@code postrider-tck} on the class path. Not
 * thread-safe.
 */
public final class KafkaBroker implements AutoCloseable {
    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(30);
    private static final String DATA = "data";
    private static final String CLUSTER = "AAAAAAAAAAAAAAAAAAAAAQ";

    /** Who may come in at {@link #secureAddress}. */
    public static final String USER = "postrider";
    /** What they have to say. */
    public static final String PASSWORD = "open-sesame";

    /** Options of its JVM with which it starts with less work, and is slower once it runs. */
    private static final List<String> STARTS_SOON = List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    /** Those with which Kafka's own script starts one. */
    private static final List<String> OF_AN_INSTALLATION = List.of(
            "-Xmx1g",
            "-Xms1g",
            "-XX:+UseG1GC",
            "-XX:MaxGCPauseMillis=20",
            "-XX:InitiatingHeapOccupancyPercent=35",
            "-XX:+ExplicitGCInvokesConcurrent");

    private static @Nullable Path formatted;

    private final LocalServer server;
    private final int securePort;

    private KafkaBroker(LocalServer server, int securePort) {
        this.server = server;
        this.securePort = securePort;
    }

    /** Prepares its data in this folder and starts it; topics are made by whoever wants them. */
    public static KafkaBroker start(Path folder) {
        return start(folder, Map.of());
    }

    /**
     * The same, set up differently.
     *
     * @param properties what differs from a plain broker
     */
    public static KafkaBroker start(Path folder, Map<String, String> properties) {
        return start(folder, properties, STARTS_SOON);
    }

    /** The same, for load: it starts as a broker of an installation does. */
    public static KafkaBroker startForLoad(Path folder, Map<String, String> properties) {
        return start(folder, properties, OF_AN_INSTALLATION);
    }

    private static KafkaBroker start(Path folder, Map<String, String> properties, List<String> options) {
        int port = Ports.free();
        int securePort = Ports.free();
        Path settings = folder.resolve("server.properties");
        try {
            Files.createDirectories(folder);
            Files.writeString(settings, text(settings(folder, port, securePort, properties)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Folders.copy(formatted(), folder.resolve(DATA));
        LocalServer server = new LocalServer(
                java(), "openjdk-17-jre-headless", arguments(options, settings), port, folder.resolve("log"));
        KafkaBroker broker = new KafkaBroker(server, securePort);
        try {
            broker.restart();
            return broker;
        } catch (RuntimeException e) {
            broker.close();
            throw e;
        }
    }

    private static Map<String, String> settings(Path folder, int port, int securePort, Map<String, String> properties) {
        int controller = Ports.free();
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
        String clients = "CLIENT://127.0.0.1:" + port + ",SECURE://127.0.0.1:" + securePort;
        settings.put("listeners", clients + ",CONTROLLER://127.0.0.1:" + controller);
        settings.put("advertised.listeners", clients);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("inter.broker.listener.name", "CLIENT");
        settings.put("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,CLIENT:PLAINTEXT,SECURE:SASL_PLAINTEXT");
        settings.put("sasl.enabled.mechanisms", "PLAIN");
        settings.put(
                "listener.name.secure.plain.sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"" + USER + "\" password=\""
                        + PASSWORD + "\" user_" + USER + "=\"" + PASSWORD + "\";");
        settings.put("log.dirs", folder.resolve(DATA).toString());
        settings.put("auto.create.topics.enable", "false");
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("offsets.topic.num.partitions", "1");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        // After a kill it has to wait until its former self counts as gone.
        settings.put("broker.session.timeout.ms", "1500");
        settings.put("broker.heartbeat.interval.ms", "300");
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("group.min.session.timeout.ms", "1000");
        settings.putAll(properties);
        return settings;
    }

    private static String text(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue() + "\n")
                .collect(Collectors.joining());
    }

    /** Formatting takes a JVM of its own, so all brokers of this one begin with copies of the same empty storage. */
    private static synchronized Path formatted() {
        if (formatted == null) {
            try {
                Path folder = Files.createTempDirectory("postrider-kafka");
                Path settings = folder.resolve("server.properties");
                Files.writeString(settings, text(settings(folder, 0, 0, Map.of())));
                format(folder, settings);
                Runtime.getRuntime().addShutdownHook(new Thread(() -> Folders.delete(folder), "delete-kafka-storage"));
                formatted = folder.resolve(DATA);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return formatted;
    }

    private static void format(Path folder, Path settings) {
        List<String> command = new ArrayList<>(List.of(java()));
        command.addAll(List.of("-cp", classPath(), "kafka.tools.StorageTool", "format"));
        command.addAll(List.of("--cluster-id", CLUSTER, "--config", settings.toString()));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("format.log").toFile())
                    .start();
            if (process.waitFor() != 0) {
                throw new IllegalStateException(Files.readString(folder.resolve("format.log")));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a broker was prepared", e);
        }
    }

    private static List<String> arguments(List<String> options, Path settings) {
        List<String> arguments = new ArrayList<>(options);
        arguments.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        arguments.addAll(List.of("-cp", classPath(), "kafka.Kafka", settings.toString()));
        return arguments;
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }

    /** Where it is reached. */
    public String address() {
        return "127.0.0.1:" + server.port();
    }

    /** Where it is reached by those who say who they are (SASL_PLAINTEXT, PLAIN). */
    public String secureAddress() {
        return "127.0.0.1:" + securePort;
    }

    /** The process, which can be killed and paused. */
    public LocalServer server() {
        return server;
    }

    /** Starts it after a kill, with the data it had, and returns once it answers. */
    public void restart() {
        server.start();
        withAdmin(admin -> {
            while (admin.describeCluster().nodes().get(30, TimeUnit.SECONDS).isEmpty()) {
                Thread.onSpinWait();
            }
        });
    }

    /** Returns once the broker knows it, which is a moment after the controller has made it. */
    public void createTopic(String topic, int partitions, Map<String, String> settings) {
        NewTopic wanted = new NewTopic(topic, partitions, (short) 1).configs(settings);
        withAdmin(admin -> {
            admin.createTopics(List.of(wanted)).all().get(30, TimeUnit.SECONDS);
            while (!admin.listTopics().names().get(30, TimeUnit.SECONDS).contains(topic)) {
                Thread.onSpinWait();
            }
        });
    }

    public void deleteTopic(String topic) {
        withAdmin(admin -> admin.deleteTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS));
    }

    /** Removes what lies before this offset, as retention does. */
    public void removeBefore(String topic, int partition, long offset) {
        Map<TopicPartition, RecordsToDelete> before =
                Map.of(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(offset));
        withAdmin(admin -> admin.deleteRecords(before).all().get(30, TimeUnit.SECONDS));
    }

    /** {@link #USER} may look at this topic, and not write to it; needs an authorizer. */
    public void forbidWriting(String topic) {
        AclBinding rule = new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry("User:" + USER, "*", AclOperation.DESCRIBE, AclPermissionType.ALLOW));
        withAdmin(admin -> admin.createAcls(List.of(rule)).all().get(30, TimeUnit.SECONDS));
    }

    private void withAdmin(AdminCall call) {
        try (Admin admin = Admin.create(
                Map.of("bootstrap.servers", address(), "default.api.timeout.ms", ANSWERS_WITHIN.toMillis() + ""))) {
            call.run(admin);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the broker did not do it:\n" + server.logTail(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a broker was asked", e);
        }
    }

    /** Something to be done with an administrator's connection. */
    private interface AdminCall {
        void run(Admin admin) throws ExecutionException, InterruptedException, TimeoutException;
    }

    @Override
    public void close() {
        server.close();
    }
}
