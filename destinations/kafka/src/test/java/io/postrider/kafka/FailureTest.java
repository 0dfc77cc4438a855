package io.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class FailureTest {

    @Test
    void what_the_broker_refuses_is_refused() {
        assertAll(
                Failure.REFUSED,
                new RecordTooLargeException(),
                new InvalidTopicException(),
                new InvalidRecordException("no key"),
                new CorruptRecordException(),
                new PolicyViolationException("too short"),
                new SerializationException(),
                new TopicAuthorizationException("letters"));
    }

    @Test
    void what_passes_by_itself_is_down() {
        assertAll(
                Failure.DOWN,
                new NetworkException(),
                new DisconnectException(),
                new NotEnoughReplicasException(),
                new NotLeaderOrFollowerException());
    }

    @Test
    void what_has_no_answer_leaves_the_topic_in_doubt() {
        assertAll(Failure.TOPIC_IN_DOUBT, new TimeoutException(), new UnknownTopicOrPartitionException());
    }

    @Test
    void what_ends_a_producer_asks_for_a_new_one() {
        assertAll(
                Failure.BROKEN_PRODUCER,
                new ProducerFencedException("newer"),
                new OutOfOrderSequenceException("lost"),
                new SaslAuthenticationException("who are you"),
                new IllegalStateException("closed"));
    }

    @Test
    void the_rest_may_work_later() {
        assertAll(Failure.BATCH_NEIGHBOUR_REFUSED, new KafkaException("part of a batch"));
        assertAll(Failure.UNKNOWN, new UnknownServerException(), new NullPointerException());
    }

    private static void assertAll(Failure failure, Exception... causes) {
        assertThat(List.of(causes))
                .allSatisfy(cause -> assertThat(Failure.of(cause)).isEqualTo(failure));
    }

    @Test
    void what_kafka_cannot_be_made_with_is_named_and_a_secret_is_not() {
        assertThat(Failure.words(new KafkaException("no client", new KafkaException("no file", new IOException("x")))))
                .isEqualTo("no file (IOException: x)");
        assertThat(Failure.words(new KafkaException("no client", new IllegalArgumentException("sesame is no key"))))
                .isEqualTo("no client (IllegalArgumentException: sasl.jaas.config may be wrong)");
    }
}
