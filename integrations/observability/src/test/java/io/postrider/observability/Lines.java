package io.postrider.observability;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** The log lines of the product, from INFO on, while it is open. */
final class Lines implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.postrider");
    private final List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            lines.add(line);
        }
    };

    Lines() {
        logger.setLevel(Level.INFO);
        appender.start();
        logger.addAppender(appender);
    }

    List<ILoggingEvent> all() {
        return lines;
    }

    List<ILoggingEvent> about(String words) {
        return lines.stream()
                .filter(line -> line.getFormattedMessage().contains(words))
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
