package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The whole repository, held to its own rules. */
class TidyTest {
    private static final Path ROOT = Path.of("..");
    private static final int LINE_MAX = 120;
    private static final int FILE_MAX = 400;
    private static final Pattern VAGUE_NAME =
            Pattern.compile("(Abstract|Base|Default)[A-Z].*|.*(Impl|Utils?|Helper|Manager)");
    private static final List<String> VERBS =
            List.of("append", "claim", "dispatch", "settle", "renew", "park", "replay", "archive", "prune");

    @Test
    void lines_fit_on_a_screen() {
        assertThat(sources().flatMap(file -> linesThat(file, line -> line.length() > LINE_MAX)))
                .isEmpty();
    }

    @Test
    void a_file_is_read_in_one_sitting() {
        assertThat(sources().filter(file -> text(file).lines().count() > FILE_MAX))
                .isEmpty();
    }

    @Test
    void no_name_is_vague() {
        assertThat(sources()
                        .map(file -> file.getFileName().toString().replace(".java", ""))
                        .filter(name -> VAGUE_NAME.matcher(name).matches()))
                .isEmpty();
    }

    @Test
    void every_package_says_what_it_is_and_is_null_marked() {
        assertThat(sources()
                        .filter(file -> file.toString().contains("src/main"))
                        .map(Path::getParent)
                        .distinct()
                        .filter(folder ->
                                !text(folder.resolve("package-info.java")).contains("@NullMarked")))
                .isEmpty();
    }

    @Test
    void nothing_is_left_to_be_done_later_and_no_test_is_skipped() {
        Pattern unfinished =
                Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b|@Dis" + "abled|assume(True|False|That)\\(");
        assertThat(sources()
                        .flatMap(file ->
                                linesThat(file, line -> unfinished.matcher(line).find())))
                .isEmpty();
    }

    @Test
    void every_verb_has_a_page() {
        assertThat(VERBS)
                .allSatisfy(verb -> assertThat(ROOT.resolve("docs/concepts/" + verb + ".md"))
                        .exists());
    }

    @Test
    void every_requirement_is_listed() {
        assertThat(listed(text(ROOT.resolve("docs/requirements.md"))))
                .containsAll(requirementIds().toList());
    }

    @Test
    void every_test_that_a_document_names_exists() {
        Set<String> names = sources()
                .map(file -> file.getFileName().toString().replace(".java", ""))
                .collect(Collectors.toSet());
        assertThat(documents().flatMap(TidyTest::testsNamed)).isNotEmpty().isSubsetOf(names);
    }

    private static Stream<String> testsNamed(Path document) {
        return Pattern.compile("`(\\w+(?:Test|Suite))`")
                .matcher(text(document))
                .results()
                .map(name -> name.group(1));
    }

    @Test
    void links_between_documents_lead_somewhere() {
        assertThat(documents().flatMap(TidyTest::brokenLinks)).isEmpty();
    }

    private static Stream<String> brokenLinks(Path document) {
        return Pattern.compile("]\\((?!https?:)([^)#]+)(?:#[^)]*)?\\)")
                .matcher(text(document))
                .results()
                .map(link -> link.group(1))
                .filter(target -> !Files.exists(document.resolveSibling(target)))
                .map(target -> document + " -> " + target);
    }

    private static Stream<String> requirementIds() {
        Map<String, Integer> last = Map.of("A", 16, "B", 14, "C", 13, "D", 16, "E", 6);
        return last.entrySet().stream()
                .flatMap(group -> IntStream.rangeClosed(1, group.getValue()).mapToObj(i -> group.getKey() + i));
    }

    /** The ids in the first column, ranges written out. */
    private static Set<String> listed(String page) {
        Set<String> ids = new HashSet<>();
        Matcher row =
                Pattern.compile("^\\| ([A-E]\\d+[^|]*)\\|", Pattern.MULTILINE).matcher(page);
        while (row.find()) {
            for (String part : row.group(1).trim().split(", ")) {
                String[] range = part.split("–");
                int from = Integer.parseInt(range[0].substring(1));
                int to = Integer.parseInt(range[range.length - 1].substring(1));
                IntStream.rangeClosed(from, to).forEach(i -> ids.add(range[0].charAt(0) + "" + i));
            }
        }
        return ids;
    }

    private static Stream<String> linesThat(Path file, Predicate<String> fails) {
        return text(file).lines().filter(fails).map(line -> file + ": " + line.strip());
    }

    private static Stream<Path> sources() {
        return files(".java");
    }

    private static Stream<Path> documents() {
        return files(".md");
    }

    private static Stream<Path> files(String suffix) {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files
                    .filter(file -> file.toString().endsWith(suffix))
                    .filter(file -> !file.toString().contains("/target/")
                            && !file.toString().substring(2).contains("/."))
                    .collect(Collectors.toList())
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
