package io.postrider.redis;

/**
 * What a bus has done since it was opened.
 *
 * @param received messages that came, one for each subscription of Redis that matched
 * @param handled calls of handlers that returned
 * @param failed calls of handlers that threw
 * @param unreadable messages that were no event
 * @param dropped events that nobody had room for
 * @param gaps times during which events may have been missed
 */
public record BusCounts(long received, long handled, long failed, long unreadable, long dropped, long gaps) {}
