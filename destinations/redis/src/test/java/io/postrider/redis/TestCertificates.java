package io.postrider.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An authority of our own, and what it has signed, made by openssl in a folder. */
record TestCertificates(Path folder) {

    static TestCertificates in(Path folder) {
        TestCertificates made = new TestCertificates(folder);
        made.openssl("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem");
        made.sign("server");
        made.sign("client");
        return made;
    }

    private void sign(String name) {
        openssl("req -newkey rsa:2048 -nodes -subj /CN=" + name + " -keyout " + name + ".key -out " + name + ".csr");
        try {
            Files.writeString(folder.resolve("names.txt"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        openssl("x509 -req -days 2 -in " + name + ".csr -CA ca.pem -CAkey ca.key -CAcreateserial"
                + " -extfile names.txt -out " + name + ".pem");
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    private void openssl(String arguments) {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(Arrays.asList(arguments.split(" ", -1)));
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("openssl.log").toFile())
                    .start();
            if (process.waitFor() != 0) {
                throw new IllegalStateException(Files.readString(folder.resolve("openssl.log")));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
