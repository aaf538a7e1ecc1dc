import { type ConfigError, EnvReader } from "@gatehouse/config";
import { expect, test } from "vitest";
import { parseEgressAllow } from "./egress-allow.ts";
import { readEgressConfig } from "./egress-config.ts";

test("networks, addresses and names are read, each with or without a port", () => {
  const { networks, hosts } = parseEgressAllow(
    " 10.0.0.0/8 ,127.0.0.1:9000,, ::1,fd00::/8,[fd12::1]:8080,[fd34::/32]:443,Host.Docker.Internal,b\u00fccher.example:81,",
  );
  expect(networks.map(({ network, port }) => [network.bytes.length, network.prefixBits, port])).toEqual([
    [4, 8, undefined],
    [4, 32, 9000],
    [16, 128, undefined],
    [16, 8, undefined],
    [16, 128, 8080],
    [16, 32, 443],
  ]);
  expect(hosts).toEqual([
    { hostname: "host.docker.internal", port: undefined },
    { hostname: "xn--bcher-kva.example", port: 81 },
  ]);
});

test("an empty list opens nothing", () => {
  expect(parseEgressAllow("")).toEqual({ networks: [], hosts: [] });
});

test.each([
  ["10.0.0.0/33", "is neither a network, an address nor a host name"],
  ["10.0.0", "is neither a network, an address nor a host name"],
  ["010.0.0.1", "is neither a network, an address nor a host name"],
  ["0x7f000001", "is neither a network, an address nor a host name"],
  ["http://10.0.0.1", "is a URL: write its host alone"],
  ["*.example.com", "is neither a network, an address nor a host name"],
  ["a b.example.com", "is neither a network, an address nor a host name"],
  ["[10.0.0.1]", "is neither a network, an address nor a host name"],
  ["[localhost]", "is neither a network, an address nor a host name"],
  ["fe80::1%eth0", "is neither a network, an address nor a host name"],
  ["10.0.0.1:0", "has a port that is not a whole number from 1 to 65535"],
  ["10.0.0.1:65536", "has a port that is not a whole number from 1 to 65535"],
  ["10.0.0.1:", "has a port that is not a whole number from 1 to 65535"],
  ["[fd00::1]:http", "has a port that is not a whole number from 1 to 65535"],
  ["::ffff:10.0.0.1", "is an IPv4 address inside IPv6: write it as IPv4"],
  ["169.254.169.254", "can never be opened (cloud metadata)"],
  ["0.0.0.0", "can never be opened (unspecified)"],
  ["nonsense/99", "is neither a network, an address nor a host name"],
])("the entry %s is refused by name", (entry, problem) => {
  expect(() => parseEgressAllow(`10.0.0.0/8,${entry}`)).toThrow(`${JSON.stringify(entry)} ${problem}`);
});

test("each invalid entry of EGRESS_ALLOW is a problem by itself", () => {
  const env = new EnvReader({ EGRESS_ALLOW: "10.0.0.0/99,example.com,1.2.3.4:x" });
  expect(readEgressConfig(env)).toEqual({ allow: { networks: [], hosts: [] } });
  try {
    env.finish();
    expect.unreachable();
  } catch (err) {
    expect((err as ConfigError).problems).toEqual([
      'EGRESS_ALLOW has a bad entry: "10.0.0.0/99" is neither a network, an address nor a host name.',
      'EGRESS_ALLOW has a bad entry: "1.2.3.4:x" has a port that is not a whole number from 1 to 65535.',
    ]);
  }
});

test("without EGRESS_ALLOW nothing is opened", () => {
  const env = new EnvReader({});
  expect(readEgressConfig(env)).toEqual({ allow: { networks: [], hosts: [] } });
  env.finish();
});

test("a list longer than its bound is refused", () => {
  expect(() => parseEgressAllow("10.0.0.1,".repeat(1_001))).toThrow("more than 1000 entries");
});
