package io.postrider.nats;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Text as headers can carry it: what is not printable ASCII is percent-encoded, and so are spaces, quotes, colons in
 * names and percent signs, as CloudEvents has it for HTTP. What was never encoded is read as it is.
 */
final class Percent {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final String SERVERS_OWN = "Nats-";

    private Percent() {}

    static String encode(String value) {
        return encode(value, 0, '"');
    }

    /** A name that begins like those the server acts upon is encoded, too: an event must not tell it what to do. */
    static String encodeName(String name) {
        return encode(name, isServersOwn(name) ? 1 : 0, ':');
    }

    static boolean isServersOwn(String name) {
        return name.regionMatches(true, 0, SERVERS_OWN, 0, SERVERS_OWN.length());
    }

    /** Encodes the first {@code always} characters in any case. */
    private static String encode(String text, int always, char alsoEncoded) {
        if (always == 0 && isPlain(text, alsoEncoded)) {
            return text;
        }
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            if (i >= always && isPlain((char) (bytes[i] & 0xFF), alsoEncoded)) {
                encoded.append((char) bytes[i]);
            } else {
                HEX.toHexDigits(encoded.append('%'), bytes[i]);
            }
        }
        return encoded.toString();
    }

    private static boolean isPlain(String text, char alsoEncoded) {
        for (int i = 0; i < text.length(); i++) {
            if (!isPlain(text.charAt(i), alsoEncoded)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPlain(char c, char alsoEncoded) {
        return c > ' ' && c <= '~' && c != '%' && c != alsoEncoded;
    }

    /** The text that was encoded; a percent sign that begins no encoded text stands for itself. */
    static String decode(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            if (isEncoded(text, i)) {
                bytes.write(HexFormat.fromHexDigits(text, i + 1, i + 3));
                i += 2;
            } else {
                bytes.writeBytes(String.valueOf(text.charAt(i)).getBytes(StandardCharsets.UTF_8));
            }
        }
        return utf8(bytes.toByteArray(), text);
    }

    private static boolean isEncoded(String text, int at) {
        return text.charAt(at) == '%'
                && at + 2 < text.length()
                && HexFormat.isHexDigit(text.charAt(at + 1))
                && HexFormat.isHexDigit(text.charAt(at + 2));
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
