package io.postrider.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.IntPredicate;

/**
 * Text as the headers of HTTP and NATS can carry it: what is not visible ASCII is percent-encoded, and so are quotes
 * and percent signs, as CloudEvents has it.
 */
public final class Percent {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final IntPredicate VISIBLE = c -> c > ' ' && c < 0x7F && c != '"';

    private Percent() {}

    public static String encode(String value) {
        return encode(value, VISIBLE);
    }

    /** @param plain which characters of ASCII stay as they are; a percent sign never does */
    public static String encode(String text, IntPredicate plain) {
        if (isPlain(text, plain)) {
            return text;
        }
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
            if (isPlain(one & 0xFF, plain)) {
                encoded.append((char) one);
            } else {
                HEX.toHexDigits(encoded.append('%'), one);
            }
        }
        return encoded.toString();
    }

    /** A loop and no stream of characters: it looks at every header of every message. */
    private static boolean isPlain(String text, IntPredicate plain) {
        for (int i = 0; i < text.length(); i++) {
            if (!isPlain(text.charAt(i), plain)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPlain(int c, IntPredicate plain) {
        return c != '%' && c < 0x80 && plain.test(c);
    }

    /**
     * The text that was encoded. A percent sign that begins no encoded byte stands for itself, and what does not become
     * UTF-8 was not encoded at all.
     */
    public static String decode(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] raw = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(raw.length);
        for (int i = 0; i < raw.length; i++) {
            if (isEncoded(raw, i)) {
                bytes.write(Character.digit(raw[i + 1], 16) << 4 | Character.digit(raw[i + 2], 16));
                i += 2;
            } else {
                bytes.write(raw[i]);
            }
        }
        return utf8(bytes.toByteArray(), text);
    }

    private static boolean isEncoded(byte[] text, int at) {
        return text[at] == '%'
                && at + 2 < text.length
                && Character.digit(text[at + 1], 16) >= 0
                && Character.digit(text[at + 2], 16) >= 0;
    }

    private static String utf8(byte[] bytes, String otherwise) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return otherwise;
        }
    }
}
