package io.postrider.kafka;

import java.util.List;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** The meaning of a failed send for its event. */
enum Failure {
    /** The broker does not want this event, however often it comes. */
    REFUSED,
    /** Nobody has answered: the broker is down, or it does not have the topic. */
    TOPIC_IN_DOUBT,
    /** The broker cannot take anything at present. */
    DOWN,
    /** This producer is of no use any more; a new one may be. */
    BROKEN_PRODUCER,
    /** The record was sent together with one that was refused. */
    BATCH_NEIGHBOUR_REFUSED,
    /** Something else: this event may work later. */
    UNKNOWN;

    private static final List<Class<? extends Exception>> REFUSALS = List.of(
            RecordTooLargeException.class,
            RecordBatchTooLargeException.class,
            InvalidTopicException.class,
            InvalidRecordException.class,
            InvalidTimestampException.class,
            PolicyViolationException.class,
            TopicAuthorizationException.class,
            SerializationException.class,
            UnsupportedForMessageFormatException.class,
            // Retriable by its class, but also what a compacted topic answers to a record without a key.
            CorruptRecordException.class);

    private static final List<Class<? extends Exception>> ENDS_OF_A_PRODUCER = List.of(
            ProducerFencedException.class,
            InvalidProducerEpochException.class,
            InvalidPidMappingException.class,
            OutOfOrderSequenceException.class,
            AuthenticationException.class,
            ClusterAuthorizationException.class,
            UnsupportedVersionException.class,
            InterruptException.class,
            IllegalStateException.class);

    static Failure of(Exception failure) {
        if (isOneOf(REFUSALS, failure)) {
            return REFUSED;
        }
        if (isOneOf(ENDS_OF_A_PRODUCER, failure)) {
            return BROKEN_PRODUCER;
        }
        if (failure instanceof TimeoutException || failure instanceof UnknownTopicOrPartitionException) {
            return TOPIC_IN_DOUBT;
        }
        if (failure instanceof RetriableException) {
            return DOWN;
        }
        // The producer gives this class itself to the innocent records of a refused batch.
        return failure.getClass() == KafkaException.class ? BATCH_NEIGHBOUR_REFUSED : UNKNOWN;
    }

    private static boolean isOneOf(List<Class<? extends Exception>> classes, Exception failure) {
        return classes.stream().anyMatch(each -> each.isInstance(failure));
    }

    /** The broker's words, or what kind of failure it was. */
    static String words(Throwable failure) {
        Throwable telling = telling(failure);
        String message = telling.getMessage();
        String words = message == null || message.isBlank() ? telling.getClass().getSimpleName() : message;
        Throwable cause = telling.getClass() == KafkaException.class ? telling.getCause() : null;
        return cause == null ? words : words + " (" + reason(cause, words) + ")";
    }

    /** Kafka wraps what it cannot be made with into failures that say no more than that. */
    private static Throwable telling(Throwable failure) {
        Throwable telling = failure;
        while (telling.getClass() == KafkaException.class && telling.getCause() instanceof KafkaException cause) {
            telling = cause;
        }
        return telling;
    }

    private static String reason(Throwable cause, String said) {
        String kind = cause.getClass().getSimpleName();
        if (cause instanceof IllegalArgumentException) {
            // Its words have a piece of the credentials in them, if those cannot be read.
            return kind + ": sasl.jaas.config may be wrong";
        }
        String message = cause.getMessage();
        return message == null || said.contains(message) ? kind : kind + ": " + message;
    }
}
