package io.postrider.cli;

import io.postrider.store.StoreException;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** {@code ./postrider}: the commands for operators. Not thread-safe: one command line, one process. */
@Command(
        name = "postrider",
        description = "Commands for operators of Postrider.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class PostriderCommand implements Runnable {
    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before a command runs
    private CommandLine.Model.CommandSpec spec;

    private PostriderCommand() {}

    public static void main(String[] arguments) {
        System.exit(commandLine(System.getenv()).execute(arguments));
    }

    /** With the environment as given, so that tests need none of their own process. */
    static CommandLine commandLine(Map<String, String> environment) {
        return new CommandLine(new PostriderCommand())
                .addSubcommand(new MigrateCommand(environment))
                .setUsageHelpLongOptionsMaxWidth(30)
                .setExecutionExceptionHandler(PostriderCommand::failed);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command was named: --help lists them");
    }

    /** Operators get the sentence; a stack trace is for what nobody has foreseen. */
    private static int failed(Exception failure, CommandLine command, ParseResult parsed) throws Exception {
        ExitCode code;
        if (failure instanceof StoreException storeFailure) {
            code = ExitCode.of(storeFailure);
        } else if (failure instanceof IllegalStateException || failure instanceof IllegalArgumentException) {
            code = ExitCode.REFUSED;
        } else {
            throw failure;
        }
        command.getErr().println(failure.getMessage());
        command.getErr().flush();
        return code.number();
    }
}
