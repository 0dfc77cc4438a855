package io.postrider.nats;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Base64;

/** A key with a certificate of its own, made by the JDK's keytool: as PKCS12 for Java, as PEM for servers. */
final class Certificates {
    static final String PASSWORD = "changeit";

    private final Path folder;
    private final String name;

    private Certificates(Path folder, String name) {
        this.folder = folder;
        this.name = name;
    }

    /** @param hosts the hosts it is for, like {@code ip:127.0.0.1,dns:localhost} */
    static Certificates make(Path folder, String name, String hosts) throws Exception {
        Certificates made = new Certificates(folder, name);
        keytool(
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=" + hosts,
                "-validity",
                "2",
                "-keystore",
                made.keystore().toString());
        made.writePem();
        keytool(
                "-importcert",
                "-noprompt",
                "-alias",
                "trusted",
                "-file",
                made.certificatePem().toString(),
                "-keystore",
                made.truststore().toString());
        return made;
    }

    private static void keytool(String... arguments) throws IOException, InterruptedException {
        Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        ProcessBuilder command = new ProcessBuilder(tool.toString());
        command.command().addAll(Arrays.asList(arguments));
        command.command().addAll(Arrays.asList("-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = command.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("keytool: " + said);
        }
    }

    private void writePem() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keystore())) {
            store.load(in, PASSWORD.toCharArray());
        }
        Files.writeString(
                certificatePem(), pem("CERTIFICATE", store.getCertificate("own").getEncoded()));
        Files.writeString(
                keyPem(),
                pem("PRIVATE KEY", store.getKey("own", PASSWORD.toCharArray()).getEncoded()));
    }

    private static String pem(String what, byte[] bytes) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes) + "\n-----END " + what + "-----\n";
    }

    Path keystore() {
        return folder.resolve(name + "-keystore.p12");
    }

    Path truststore() {
        return folder.resolve(name + "-truststore.p12");
    }

    Path certificatePem() {
        return folder.resolve(name + "-cert.pem");
    }

    Path keyPem() {
        return folder.resolve(name + "-key.pem");
    }
}
