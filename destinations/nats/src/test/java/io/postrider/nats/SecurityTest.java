package io.postrider.nats;

import static io.postrider.nats.Letters.dispatch;
import static io.postrider.nats.Letters.letter;
import static io.postrider.nats.Letters.why;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nats.client.NKey;
import io.nats.client.support.JwtUtils;
import io.postrider.tck.Eventually;
import io.postrider.tck.server.NatsServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may connect does, who may not is told so at the start, and secrets are in no text. */
final class SecurityTest {
    private static final StreamSpec ORDERS = StreamSpec.of("ORDERS", "orders.>");

    @TempDir
    static Path certificates;

    private static Certificates server;
    private static Certificates client;
    private static Certificates elsewhere;

    @TempDir
    Path folder;

    private @Nullable NatsServer running;
    private final List<JetStreamDestination> started = new ArrayList<>();

    @BeforeAll
    static void makeCertificates() throws Exception {
        server = Certificates.make(certificates, "server", "ip:127.0.0.1,dns:localhost");
        client = Certificates.make(certificates, "client", "dns:client");
        elsewhere = Certificates.make(certificates, "elsewhere", "dns:elsewhere.example");
    }

    @AfterEach
    void stop() {
        started.forEach(JetStreamDestination::close);
        if (running != null) {
            running.close();
        }
    }

    private void run(String configuration) {
        running = NatsServer.in(folder, configuration).start();
    }

    private static String tls(Certificates own, String more) {
        return "tls { cert_file: \"%s\", key_file: \"%s\", %s }".formatted(own.certificatePem(), own.keyPem(), more);
    }

    private JetStreamDestination connect(Security security) {
        return connect(security, "127.0.0.1");
    }

    private JetStreamDestination connect(Security security, String host) {
        return connectTo("nats://" + host, security);
    }

    private JetStreamDestination connectTo(String address, Security security) {
        String url = address + ":"
                + Objects.requireNonNull(running, "a server runs first")
                        .process()
                        .port();
        JetStreamDestination destination = JetStreamDestination.start(
                JetStreamConfig.of(Servers.at(url).security(security)).streams(Streams.create(ORDERS)));
        started.add(destination);
        return destination;
    }

    private void assertDelivers(Security security) {
        assertThat(why(dispatch(connect(security), letter("orders.placed")))).startsWith("Delivered");
    }

    private void assertRefused(Security security, String reason) {
        assertThatThrownBy(() -> connect(security))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(reason)
                .message()
                .doesNotContain("geheim")
                .doesNotContain(Certificates.PASSWORD);
    }

    @Test
    void tls_with_a_server_that_is_trusted() {
        run(tls(server, ""));
        Security trusting = Security.none().truststore(server.truststore(), Certificates.PASSWORD);
        assertDelivers(trusting);
        assertThat(why(dispatch(connect(trusting, "localhost"), letter("orders.placed"))))
                .startsWith("Delivered");
        assertRefused(Security.none(), "SSL required by server");
        assertRefused(
                Security.none().truststore(elsewhere.truststore(), Certificates.PASSWORD),
                "unable to find valid certification path");
    }

    @Test
    void tls_with_a_certificate_for_another_host() {
        run(tls(elsewhere, ""));
        Security trusting = Security.none().truststore(elsewhere.truststore(), Certificates.PASSWORD);
        assertRefused(trusting, "127.0.0.1");
        assertDelivers(trusting.anyHost(true));
    }

    @Test
    void tls_by_the_address_alone_trusts_whom_the_machine_trusts_and_looks_at_the_host() {
        run(tls(elsewhere, ""));
        trustedByTheMachine(elsewhere, () -> {
            assertThatThrownBy(() -> connectTo("tls://127.0.0.1", Security.none()))
                    .hasMessageContaining("127.0.0.1");
            assertThat(why(dispatch(
                            connectTo("tls://127.0.0.1", Security.none().anyHost(true)), letter("orders.placed"))))
                    .startsWith("Delivered");
        });
    }

    private static void trustedByTheMachine(Certificates trusted, Runnable work) {
        Map<String, String> settings = Map.of(
                "javax.net.ssl.trustStore",
                trusted.truststore().toString(),
                "javax.net.ssl.trustStoreType",
                "PKCS12",
                "javax.net.ssl.trustStorePassword",
                Certificates.PASSWORD);
        settings.forEach(System::setProperty);
        try {
            work.run();
        } finally {
            settings.keySet().forEach(System::clearProperty);
        }
    }

    @Test
    void tls_with_a_server_that_has_none() {
        run("");
        assertRefused(
                Security.none().truststore(server.truststore(), Certificates.PASSWORD),
                "SSL connection wanted by client");
    }

    @Test
    void mutual_tls() {
        run(tls(server, "ca_file: \"%s\", verify: true".formatted(client.certificatePem())));
        Security trusting = Security.none().truststore(server.truststore(), Certificates.PASSWORD);
        assertDelivers(trusting.keystore(client.keystore(), Certificates.PASSWORD));
        assertRefused(trusting, "TLS");
        assertRefused(trusting.keystore(elsewhere.keystore(), Certificates.PASSWORD), "TLS");
    }

    @Test
    void a_token() {
        run("authorization { token: \"geheim\" }");
        assertDelivers(Security.none().token("geheim"));
        assertRefused(Security.none().token("geheimer"), "uthorization");
        assertRefused(Security.none(), "uthorization");
    }

    @Test
    void a_user_with_a_password() {
        run("authorization { user: \"ann\", password: \"geheim\" }");
        assertDelivers(Security.none().user("ann", "geheim"));
        assertRefused(Security.none().user("ann", "geheimer"), "uthorization");
    }

    @Test
    void an_nkey() throws Exception {
        NKey key = NKey.createUser(new SecureRandom());
        run("authorization { users: [ { nkey: \"%s\" } ] }".formatted(new String(key.getPublicKey())));
        assertDelivers(Security.none().nkey(new String(key.getSeed())));
        NKey other = NKey.createUser(new SecureRandom());
        assertRefused(Security.none().nkey(new String(other.getSeed())), "uthorization");
    }

    @Test
    void a_credentials_file() throws Exception {
        NKey operator = NKey.createOperator(new SecureRandom());
        NKey account = NKey.createAccount(new SecureRandom());
        String accountKey = new String(account.getPublicKey());
        String system = new String(NKey.createAccount(new SecureRandom()).getPublicKey());
        run("""
                operator: "%s"
                system_account: %s
                resolver: MEMORY
                resolver_preload: { %s: "%s", %s: "%s" }
                """.formatted(
                        operatorJwt(operator),
                        system,
                        system,
                        accountJwt(operator, system, 0),
                        accountKey,
                        accountJwt(operator, accountKey, -1)));
        assertDelivers(Security.none().credentials(credentials("user.creds", account)));
        NKey stranger = NKey.createAccount(new SecureRandom());
        assertRefused(Security.none().credentials(credentials("stranger.creds", stranger)), "uthorization");
    }

    private Path credentials(String name, NKey account) throws Exception {
        NKey user = NKey.createUser(new SecureRandom());
        String jwt =
                JwtUtils.issueUserJWT(account, new String(account.getPublicKey()), new String(user.getPublicKey()));
        return Files.writeString(
                folder.resolve(name), String.format(JwtUtils.NATS_USER_JWT_FORMAT, jwt, new String(user.getSeed())));
    }

    private static String operatorJwt(NKey operator) throws Exception {
        String key = new String(operator.getPublicKey());
        return JwtUtils.issueJWT(
                operator,
                key,
                "tests",
                null,
                JwtUtils.currentTimeSeconds(),
                key,
                () -> "{\"type\":\"operator\",\"version\":2}");
    }

    private static String accountJwt(NKey operator, String account, int jetStream) throws Exception {
        String limits = """
                {"limits":{"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":true,"conn":-1,
                "leaf":-1,"mem_storage":%d,"disk_storage":%d,"streams":%d,"consumer":%d},"type":"account","version":2}
                """.formatted(jetStream, jetStream, jetStream, jetStream);
        String issuer = new String(operator.getPublicKey());
        return JwtUtils.issueJWT(
                operator,
                account,
                "tests",
                null,
                JwtUtils.currentTimeSeconds(),
                issuer,
                () -> limits.replace("\n", ""));
    }

    @Test
    void an_event_that_we_may_not_publish_is_dead_with_the_words_of_the_server() {
        run("""
                authorization { users: [ { user: "ann", password: "geheim", permissions: {
                  publish: { deny: "orders.secret" } } } ] }
                """);
        JetStreamDestination destination = connect(Security.none().user("ann", "geheim"));
        assertThat(why(dispatch(destination, letter("orders.secret"))))
                .startsWith("dead: NATS says: Permissions Violation for Publish to \"orders.secret\"");
        assertThat(why(dispatch(destination, letter("orders.placed")))).startsWith("Delivered");
    }

    @Test
    void secrets_are_in_no_text() {
        Security security =
                Security.none().truststore(server.truststore(), "geheim").keystore(client.keystore(), "geheim");
        for (Security each :
                List.of(security.token("geheim"), security.user("ann", "geheim"), security.nkey("SUgeheim"))) {
            JetStreamConfig config =
                    JetStreamConfig.of(Servers.at("nats://host:4222").security(each));
            assertThat(each.toString()).doesNotContain("geheim").contains("mutual TLS");
            assertThat(config.toString()).doesNotContain("geheim");
        }
    }

    @Test
    void files_that_are_missing_or_do_not_open_are_named() throws Exception {
        Path nowhere = folder.resolve("nowhere.p12");
        assertThatThrownBy(() -> Security.none().truststore(nowhere, "geheim"))
                .hasMessageContaining(nowhere.toString());
        assertThatThrownBy(() -> Security.none().credentials(nowhere)).hasMessageContaining(nowhere.toString());
        assertThatThrownBy(() -> Security.none().nkey("geheim"))
                .hasMessageContaining("SU")
                .message()
                .doesNotContain("geheim");
        run(tls(server, ""));
        assertRefused(
                Security.none().truststore(server.truststore(), "geheim"),
                server.truststore().toString());
        Path text = Files.writeString(folder.resolve("text.p12"), "-----BEGIN CERTIFICATE-----");
        assertThatThrownBy(() -> connect(Security.none().truststore(text, "geheim")))
                .hasMessage(text + " cannot be opened as a PKCS12 file with its password: EOFException");
    }

    @Test
    void a_line_in_the_log_says_who_was_refused_by_which_server() {
        run("authorization { token: \"geheim\" }");
        PrintStream log = System.err;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        try {
            Servers servers = Servers.at(Objects.requireNonNull(running).url())
                    .security(Security.none().token("geheimer"));
            assertThatThrownBy(() -> JetStreamDestination.start(JetStreamConfig.of(servers.name("orders"))))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> JetStreamSource.open(JetStreamSourceConfig.of(servers, "ORDERS", "billing")))
                    .isInstanceOf(IllegalStateException.class);
            String at = "NATS at " + servers.urls() + " says to ";
            new Eventually(Duration.ofSeconds(10))
                    .holds(() -> assertThat(lines.toString(StandardCharsets.UTF_8))
                            .contains(at + "'orders': Authorization Violation")
                            .contains(at + "'jetstream/ORDERS/billing': Authorization Violation")
                            .doesNotContain("geheim"));
        } finally {
            System.setErr(log);
        }
    }
}
