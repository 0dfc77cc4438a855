package io.postrider.cli;

import io.postrider.postgres.PostgresStoreConfig;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * Which database and which schema, for every command that works on one. The password is never an option: others see it.
 */
final class DatabaseOptions {
    static final String URL = "POSTRIDER_DATABASE_URL";
    static final String USER = "POSTRIDER_DATABASE_USER";
    static final String PASSWORD = "POSTRIDER_DATABASE_PASSWORD";

    private final Map<String, String> environment;

    @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it before a command runs
    private CommandLine.Model.CommandSpec spec;

    @Option(names = "--url", paramLabel = "URL", description = "JDBC URL of the database; else " + URL + ".")
    private @Nullable String url;

    @Option(
            names = "--user",
            paramLabel = "ROLE",
            description = "The role; else " + USER + ". Its password is in " + PASSWORD + ".")
    private @Nullable String user;

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            description = "The schema of the installation; ${DEFAULT-VALUE} if not given.",
            defaultValue = "postrider")
    @SuppressWarnings("NullAway.Init") // has a default
    private String schema;

    @Option(
            names = "--lanes",
            paramLabel = "NUMBER",
            description = "Lanes of a log that is made, 4 to 256; 16 if not given. A log that is there keeps its own.")
    private @Nullable Integer lanes;

    DatabaseOptions(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    PostgresStoreConfig config() {
        try {
            PostgresStoreConfig config = PostgresStoreConfig.DEFAULT.schema(schema);
            return lanes == null ? config : config.lanes(lanes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** Empty where no address was given. */
    Optional<DataSource> find() {
        return Optional.ofNullable(url)
                .or(() -> Optional.ofNullable(environment.get(URL)))
                .map(this::dataSource);
    }

    DataSource require() {
        return find().orElseThrow(() -> new ParameterException(
                spec.commandLine(),
                "no database was named: set " + URL + ", such as jdbc:postgresql://localhost:5432/app, or give --url"));
    }

    private DataSource dataSource(String address) {
        if (!address.startsWith("jdbc:postgresql:")) {
            throw new ParameterException(
                    spec.commandLine(),
                    "the address of a database is a JDBC URL such as jdbc:postgresql://localhost:5432/app, got '"
                            + address.replaceAll("//[^@/]*@", "//***@") + "'");
        }
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(address);
        Optional.ofNullable(user)
                .or(() -> Optional.ofNullable(environment.get(USER)))
                .ifPresent(dataSource::setUser);
        Optional.ofNullable(environment.get(PASSWORD)).ifPresent(dataSource::setPassword);
        return dataSource;
    }
}
