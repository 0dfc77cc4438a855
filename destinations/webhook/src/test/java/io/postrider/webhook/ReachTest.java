package io.postrider.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReachTest {
    private static final String HOST = "hooks.example.com";

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, any-local",
        "0.1.2.3, any-local",
        "10.0.0.1, private",
        "10.255.255.255, private",
        "100.64.0.1, shared",
        "100.127.255.255, shared",
        "127.0.0.1, loopback",
        "127.255.255.254, loopback",
        "169.254.0.1, link-local",
        "169.254.169.254, metadata",
        "172.16.0.1, private",
        "172.31.255.255, private",
        "192.0.0.8, reserved",
        "192.0.2.1, documentation",
        "192.88.99.1, reserved",
        "192.168.0.1, private",
        "198.18.0.1, benchmarking",
        "198.19.255.255, benchmarking",
        "198.51.100.7, documentation",
        "203.0.113.7, documentation",
        "224.0.0.1, multicast",
        "239.255.255.255, multicast",
        "240.0.0.1, reserved",
        "255.255.255.255, reserved",
        "::, any-local",
        "::1, loopback",
        "::127.0.0.1, IPv4-compatible",
        "::ffff:127.0.0.1, loopback",
        "::ffff:7f00:1, loopback",
        "::ffff:10.0.0.1, private",
        "::ffff:169.254.169.254, metadata",
        "64:ff9b::7f00:1, IPv4-translated",
        "64:ff9b:1::1, IPv4-translated",
        "100::1, reserved",
        "2001::1, Teredo",
        "2001:db8::1, documentation",
        "2002:7f00:1::1, 6to4",
        "3fff::1, documentation",
        "4000::1, reserved",
        "5f00::1, reserved",
        "fc00::1, unique-local",
        "fd00:ec2::254, unique-local",
        "fe80::1, link-local",
        "febf::1, link-local",
        "fec0::1, site-local",
        "ff02::1, multicast"
    })
    void an_address_that_is_not_public_is_refused_with_its_kind(String address, String kind) {
        assertThatThrownBy(() -> Reach.publicOnly().lookup(to(address)).resolve(HOST))
                .isInstanceOf(OutOfReachException.class)
                .hasMessageContaining("'" + HOST + "'")
                .hasMessageContaining(kind)
                .hasMessageContaining("Reach.allow");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "9.255.255.255",
                "11.0.0.1",
                "100.63.255.255",
                "100.128.0.1",
                "126.255.255.255",
                "128.0.0.1",
                "169.253.255.255",
                "172.15.255.255",
                "172.32.0.1",
                "192.167.255.255",
                "192.169.0.1",
                "198.17.255.255",
                "198.20.0.1",
                "223.255.255.255",
                "2606:4700:4700::1111",
                "2a00:1450:4001::1",
                "2001:4860:4860::8888"
            })
    void a_public_address_is_taken(String address) throws Exception {
        assertThat(Reach.publicOnly().lookup(to(address)).resolve(HOST))
                .containsExactly(InetAddress.getByName(address));
    }

    @Test
    void a_mapped_address_is_seen_through_although_java_did_not() throws Exception {
        byte[] mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        mapped[12] = 10;
        InetAddress address = java.net.Inet6Address.getByAddress(null, mapped, -1);
        assertThat(AddressKind.notPublic(address)).contains("private");
    }

    @Test
    void one_address_that_is_not_public_spoils_all() {
        assertThatThrownBy(() ->
                        Reach.publicOnly().lookup(to("1.1.1.1", "10.0.0.1")).resolve(HOST))
                .isInstanceOf(OutOfReachException.class)
                .hasMessageContaining("10.0.0.1");
    }

    @Test
    void an_operator_allows_a_host_by_its_name() throws Exception {
        Reach reach = Reach.publicOnly().allow("Hooks.Example.com").lookup(to("10.0.0.1"));
        assertThat(reach.resolve("hooks.example.COM")).hasSize(1);
        assertThatThrownBy(() -> reach.resolve("other.example.com")).isInstanceOf(OutOfReachException.class);
        assertThatThrownBy(() -> reach.resolve("a.hooks.example.com")).isInstanceOf(OutOfReachException.class);
    }

    @Test
    void an_operator_allows_a_range_of_addresses() throws Exception {
        Reach reach = Reach.publicOnly().allow("10.1.0.0/16").allow("fd00::/8").allow("127.0.0.1");
        assertThat(reach.lookup(to("10.1.255.1")).resolve(HOST)).hasSize(1);
        assertThat(reach.lookup(to("fd12::1")).resolve(HOST)).hasSize(1);
        assertThat(reach.lookup(to("127.0.0.1")).resolve(HOST)).hasSize(1);
        assertThatThrownBy(() -> reach.lookup(to("10.2.0.1")).resolve(HOST)).isInstanceOf(OutOfReachException.class);
        assertThatThrownBy(() -> reach.lookup(to("127.0.0.2")).resolve(HOST)).isInstanceOf(OutOfReachException.class);
        assertThatThrownBy(() -> reach.lookup(to("fc00::1")).resolve(HOST)).isInstanceOf(OutOfReachException.class);
    }

    @Test
    void ranges_need_not_end_at_a_byte() {
        assertThat(Cidr.of("100.64.0.0/10").contains(Cidr.of("100.127.1.1").network()))
                .isTrue();
        assertThat(Cidr.of("100.64.0.0/10").contains(Cidr.of("100.128.1.1").network()))
                .isFalse();
        assertThat(Cidr.of("0.0.0.0/0").contains(Cidr.of("200.1.1.1").network()))
                .isTrue();
        assertThat(Cidr.of("0.0.0.0/0").contains(Cidr.of("::1").network())).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "fc00::/129", "300.1.1.1", "", "a b", "*", "1::2::3"
            })
    void what_is_neither_a_host_nor_a_range_is_refused(String text) {
        assertThatThrownBy(() -> Reach.publicOnly().allow(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_name_is_looked_up_once_for_a_connection_and_means_what_was_checked() throws Exception {
        List<String> asked = new java.util.ArrayList<>();
        Reach reach = Reach.publicOnly().lookup(host -> {
            asked.add(host);
            return to(asked.size() == 1 ? "1.1.1.1" : "127.0.0.1").addresses(host);
        });
        assertThat(reach.resolve(HOST)).containsExactly(InetAddress.getByName("1.1.1.1"));
        assertThat(asked).hasSize(1);
        assertThatThrownBy(() -> reach.resolve(HOST)).isInstanceOf(OutOfReachException.class);
    }

    private static Reach.Lookup to(String... addresses) {
        return host -> {
            InetAddress[] found = new InetAddress[addresses.length];
            for (int i = 0; i < addresses.length; i++) {
                found[i] = literal(addresses[i]);
            }
            return found;
        };
    }

    private static InetAddress literal(String address) throws UnknownHostException {
        return InetAddress.getByName(address);
    }
}
