package io.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** What a release consists of: modules, their metadata, and what the README says of them. */
class PublishedTest {
    private static final Path ROOT = Path.of("..");
    private static final int BULLETS_MAX = 6;
    private static final Pattern PUBLIC_TYPE = Pattern.compile(
            "^public (?:(?:abstract|final|sealed|non-sealed) )*(?:class|interface|record|enum|@interface) ",
            Pattern.MULTILINE);
    private static final Pattern COMMENTED_TYPE =
            Pattern.compile("\\*/\\n(?:@.*\\n)*" + PUBLIC_TYPE.pattern(), Pattern.MULTILINE);

    @Test
    void the_bom_names_every_published_module_and_no_other() {
        assertThat(inTheBom())
                .containsExactlyInAnyOrderElementsOf(
                        published().map(Module::artifact).toList());
    }

    @Test
    void the_bom_names_no_library_of_others_so_that_a_host_keeps_its_own() {
        assertThat(texts(ROOT.resolve("bom/pom.xml"), "/project/dependencyManagement//groupId"))
                .containsOnly("io.postrider");
    }

    @Test
    void a_published_module_is_named_as_its_root_package() {
        assertThat(published())
                .allSatisfy(module -> assertThat(module.value("/project/properties/module.name"))
                        .isEqualTo(module.rootPackage()));
    }

    @Test
    void no_package_is_in_two_published_modules() {
        assertThat(published().flatMap(module -> module.packages().stream())).doesNotHaveDuplicates();
    }

    @Test
    void every_published_module_says_what_it_is() {
        assertThat(published()).allSatisfy(module -> {
            assertThat(module.value("/project/name")).startsWith("Postrider ");
            assertThat(module.value("/project/description")).endsWith(".");
        });
    }

    @Test
    void every_public_type_that_is_not_internal_has_a_comment() {
        assertThat(published()
                        .flatMap(Module::sources)
                        .filter(file -> !file.toString().contains("/engine/"))
                        .filter(file -> PUBLIC_TYPE.matcher(text(file)).find())
                        .filter(file -> !COMMENTED_TYPE.matcher(text(file)).find()))
                .isEmpty();
    }

    @Test
    void every_module_that_a_document_tells_readers_to_take_is_in_the_bom() {
        assertThat(documents().flatMap(PublishedTest::modulesTaken))
                .isNotEmpty()
                .isSubsetOf(Stream.concat(inTheBom().stream(), Stream.of("postrider-bom"))
                        .toList());
    }

    @Test
    void the_first_screen_of_the_readme_is_few_bullets_the_dependency_and_a_little_java() {
        String readme = text(ROOT.resolve("README.md"));
        String bullets = readme.substring(0, readme.indexOf("```"));

        assertThat(bullets.lines().filter(line -> line.startsWith("- "))).hasSizeBetween(1, BULLETS_MAX);
        assertThat(Pattern.compile("^```(\\w+)$", Pattern.MULTILINE)
                        .matcher(readme)
                        .results()
                        .limit(2)
                        .map(block -> block.group(1)))
                .containsExactly("xml", "java");
    }

    private static List<String> inTheBom() {
        return texts(ROOT.resolve("bom/pom.xml"), "/project/dependencyManagement//artifactId");
    }

    private static Stream<String> modulesTaken(Path document) {
        return Pattern.compile("<artifactId>(postrider-[a-z-]+)</artifactId>")
                .matcher(text(document))
                .results()
                .map(artifact -> artifact.group(1));
    }

    private static Stream<Module> published() {
        return modules().filter(Predicate.not(Module::isKeptBack));
    }

    private static Stream<Module> modules() {
        return texts(ROOT.resolve("pom.xml"), "/project/modules/module").stream()
                .filter(module -> !module.equals("bom"))
                .map(module -> new Module(ROOT.resolve(module)));
    }

    private static Stream<Path> documents() {
        return Stream.concat(Stream.of(ROOT.resolve("README.md")), files(ROOT.resolve("docs"), ".md"));
    }

    private record Module(Path folder) {
        String value(String path) {
            return String.join(" ", texts(folder.resolve("pom.xml"), path));
        }

        String artifact() {
            return value("/project/artifactId");
        }

        boolean isKeptBack() {
            return value("/project/properties/maven.deploy.skip").equals("true");
        }

        Stream<Path> sources() {
            return files(folder.resolve("src/main/java"), ".java");
        }

        Set<String> packages() {
            Path java = folder.resolve("src/main/java");
            return sources()
                    .map(file -> java.relativize(file.getParent()).toString().replace('/', '.'))
                    .collect(Collectors.toSet());
        }

        /** The package that all others of the module are in. */
        String rootPackage() {
            return packages().stream()
                    .min(Comparator.comparingInt(String::length))
                    .orElseThrow();
        }
    }

    private static List<String> texts(Path pom, String path) {
        try {
            // a builder that is not told of namespaces, so that paths need no prefixes
            Document document =
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
            NodeList found =
                    (NodeList) XPathFactory.newInstance().newXPath().evaluate(path, document, XPathConstants.NODESET);
            return IntStream.range(0, found.getLength())
                    .mapToObj(i -> found.item(i).getTextContent())
                    .toList();
        } catch (ParserConfigurationException | SAXException | XPathExpressionException e) {
            throw new IllegalStateException(pom + ": " + path, e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> files(Path folder, String suffix) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix)).toList().stream();
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
