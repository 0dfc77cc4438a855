package io.postrider.first;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every Java snippet of the guides for the first day is code of this module. */
class GuidesTest {
    private static final Path GUIDES = Path.of("..", "..", "docs", "guides");
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(strings = {"first-service.md", "testing.md"})
    void the_java_of_a_guide_is_code_that_compiles(String guide) throws IOException {
        String code = code();
        List<String> snippets = JAVA.matcher(Files.readString(GUIDES.resolve(guide)))
                .results()
                .map(MatchResult::group)
                .map(found -> found.substring("```java\n".length(), found.length() - "```".length()))
                .toList();
        assertThat(snippets).isNotEmpty();
        assertThat(snippets).allSatisfy(snippet -> assertThat(code).contains(withoutSpace(snippet)));
    }

    private static String code() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .map(GuidesTest::read)
                    .collect(Collectors.joining());
        }
    }

    private static String read(Path file) {
        try {
            return withoutSpace(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }
}
