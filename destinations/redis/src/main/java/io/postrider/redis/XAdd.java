package io.postrider.redis;

import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.postrider.StoredEvent;
import io.postrider.wire.Message;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The command that makes an entry of an event: XADD, or a script that does so unless the event is there already. */
final class XAdd {
    /**
     * Adds, and remembers the event's id for a while; of an event that it remembers it only says where it is. Both
     * happen or neither, because nothing comes between the lines of a script.
     */
    static final String SCRIPT = """
            local there = redis.call('GET', KEYS[2])
            if there then
              return there
            end
            local entry = redis.call('XADD', KEYS[1], unpack(ARGV, 2))
            redis.call('SET', KEYS[2], entry, 'PX', ARGV[1])
            return entry
            """;

    private static final int BYTES_PER_FIELD = 16;

    private final RedisStreamConfig config;

    XAdd(RedisStreamConfig config) {
        this.config = config;
    }

    /** @throws IllegalArgumentException if the event cannot be sent, however often it is tried */
    Pipeline.Request request(StoredEvent event, String scriptDigest) {
        Message message = config.encoding().encode(event);
        Map<String, byte[]> fields = StreamFields.write(message);
        requireSize(fields);
        String stream = config.rule().streamOf(event);
        return new Pipeline.Request("the stream '" + stream + "'", command(stream, event, fields, scriptDigest));
    }

    private AsyncCommand<String, byte[], String> command(
            String stream, StoredEvent event, Map<String, byte[]> fields, String scriptDigest) {
        CommandArgs<String, byte[]> arguments = new CommandArgs<>(Link.CODEC);
        if (!config.deduplicates()) {
            return command(CommandType.XADD, entry(arguments.addKey(stream), fields));
        }
        arguments.add(scriptDigest).add(2).addKey(stream).addKey(seen(stream, event));
        return command(
                CommandType.EVALSHA, entry(arguments.add(config.dedupFor().toMillis()), fields));
    }

    /** Refused by every server that takes events at present, for its id alone; others refuse it for other reasons. */
    AsyncCommand<String, byte[], String> probe() {
        CommandArgs<String, byte[]> arguments = new CommandArgs<>(Link.CODEC);
        byte[] nothing = new byte[0];
        return command(
                CommandType.XADD,
                arguments
                        .addKey(config.rule().probe())
                        .add("0-0")
                        .addKey("probe")
                        .addValue(nothing));
    }

    static String seen(String stream, StoredEvent event) {
        return stream + ":seen:" + event.id();
    }

    private CommandArgs<String, byte[]> entry(CommandArgs<String, byte[]> arguments, Map<String, byte[]> fields) {
        for (String argument : config.trim().arguments(System.currentTimeMillis())) {
            arguments.add(argument);
        }
        return arguments.add("*").add(fields);
    }

    private void requireSize(Map<String, byte[]> fields) {
        long bytes = 0;
        for (Map.Entry<String, byte[]> field : fields.entrySet()) {
            bytes += field.getKey().getBytes(StandardCharsets.UTF_8).length + field.getValue().length + BYTES_PER_FIELD;
        }
        if (bytes > config.messageBytesMax()) {
            throw new IllegalArgumentException("the message has about " + bytes
                    + " bytes, the limit messageBytesMax is " + config.messageBytesMax());
        }
    }

    private static AsyncCommand<String, byte[], String> command(
            CommandType type, CommandArgs<String, byte[]> arguments) {
        return new AsyncCommand<>(new Command<>(type, new StatusOutput<>(Link.CODEC), arguments));
    }
}
