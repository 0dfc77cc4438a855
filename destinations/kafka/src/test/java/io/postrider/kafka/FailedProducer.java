package io.postrider.kafka;

import java.lang.reflect.Proxy;
import java.time.Duration;
import org.apache.kafka.clients.producer.Producer;

/** A producer that can be closed, and nothing else. */
final class FailedProducer {
    private FailedProducer() {}

    @SuppressWarnings("unchecked")
    static Producer<byte[], byte[]> with(RuntimeException failure) {
        return (Producer<byte[], byte[]>) Proxy.newProxyInstance(
                FailedProducer.class.getClassLoader(), new Class<?>[] {Producer.class}, (proxy, method, arguments) -> {
                    boolean closes =
                            method.getName().equals("close") && (arguments == null || arguments[0] instanceof Duration);
                    if (closes) {
                        return null;
                    }
                    throw failure;
                });
    }
}
