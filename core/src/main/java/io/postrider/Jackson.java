package io.postrider;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The Jackson of the class path, which is the application's as much as ours: an application that pins an older one
 * learns at the start which is needed, and not by a missing method later. No class of Jackson is loaded with this one.
 */
final class Jackson {
    private static final String DATABIND = "tools.jackson.databind.json.JsonMapper";
    private static final String CORE = "tools.jackson.core.JsonParser";
    private static final String ANNOTATIONS = "com.fasterxml.jackson.annotation.JsonInclude";
    /** Came with jackson-annotations 2.21, which Jackson 3.1 needs. */
    private static final String NEWEST_ANNOTATION = "com.fasterxml.jackson.annotation.JsonSerializeAs";

    private static final int MAJOR = 3;
    private static final int MINOR = 1;

    private Jackson() {}

    private static final class Standard {
        static final Codec CODEC = JacksonCodec.standard();
    }

    /** The default codec. */
    static Codec codec() {
        requireNew(Jackson.class.getClassLoader());
        try {
            return Standard.CODEC;
        } catch (LinkageError e) {
            throw new IllegalStateException(sentence(Jackson.class.getClassLoader()), e);
        }
    }

    private static void requireNew(@Nullable ClassLoader loader) {
        boolean fits = isNew(version(loader, DATABIND)) && isNew(version(loader, CORE));
        if (!fits || version(loader, NEWEST_ANNOTATION) == null) {
            throw new IllegalStateException(sentence(loader));
        }
    }

    private static String sentence(@Nullable ClassLoader loader) {
        return "payloads are read and written by Jackson " + MAJOR + "." + MINOR + " or newer"
                + " (tools.jackson.core:jackson-databind), with jackson-annotations 2.21 or newer. The class path has"
                + " jackson-databind " + told(version(loader, DATABIND)) + ", jackson-core "
                + told(version(loader, CORE)) + " and jackson-annotations " + told(version(loader, ANNOTATIONS))
                + ". Raise what is older, or give PostriderConfig.codec(...) a codec of your own,"
                + " which needs no Jackson";
    }

    private static String told(@Nullable String version) {
        return version == null ? "not at all" : version.isEmpty() ? "in an unknown version" : version;
    }

    /** Null if there is no such class, empty if its jar does not tell its version. */
    private static @Nullable String version(@Nullable ClassLoader loader, String name) {
        try {
            Package jar = Class.forName(name, false, loader).getPackage();
            return Objects.requireNonNullElse(jar.getImplementationVersion(), "");
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    /** A version that is not told counts as new: the codec itself then shows whether it works. */
    private static boolean isNew(@Nullable String version) {
        if (version == null || version.isEmpty()) {
            return version != null;
        }
        String[] parts = version.split("[.-]", 3);
        try {
            int major = Integer.parseInt(parts[0]);
            int minor = parts.length < 2 ? 0 : Integer.parseInt(parts[1]);
            return major > MAJOR || (major == MAJOR && minor >= MINOR);
        } catch (NumberFormatException e) {
            return true;
        }
    }
}
