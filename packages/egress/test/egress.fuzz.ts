import assert from "node:assert/strict";
import { BlockList, isIP } from "node:net";
import { isGatewayError } from "@gatehouse/errors";
import { parseAddress } from "../src/address.ts";
import { classifyAddress } from "../src/classify-address.ts";
import { EgressAllowError, parseEgressAllow } from "../src/egress-allow.ts";
import { parseStrictUrl, targetOf } from "../src/egress-url.ts";
import { isHostName } from "../src/host-name.ts";

const closed = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fe80::1"];

/** An accepted URL means the same to every parser as to the guard. */
function readUrl(bytes: Buffer): void {
  const text = bytes.toString();
  const url = parseStrictUrl(text);
  const target = targetOf(url);
  assert.ok(parseAddress(target.hostname) !== undefined || isHostName(target.hostname));
  assert.equal(url.username + url.password, "");
  // Its normalized form has the same target.
  assert.deepEqual(targetOf(parseStrictUrl(url.href)), target);
}

/** Node's parser of addresses and networks, for comparison. */
const private4 = new BlockList();
for (const [network, prefix] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["169.254.0.0", 16],
] as const) {
  private4.addSubnet(network, prefix);
}

/** An accepted address is also one to Node, and a private one is closed in every spelling. */
function classify(bytes: Buffer): void {
  const text = bytes.toString();
  const address = parseAddress(text);
  if (address === undefined) return;
  assert.notEqual(isIP(text), 0, `${text} is no address to Node`);
  const isPrivate = private4.check(text, isIP(text) === 4 ? "ipv4" : "ipv6");
  if (isPrivate) assert.ok(!classifyAddress(address).allowed, `${text} is open`);
}

export const fuzzTargets = [
  {
    name: "egress-url",
    seeds: [
      "https://example.com/a?b=c",
      "http://127.0.0.1:8080/",
      "http://[::1]:80/",
      "http://xn--bcher-kva.example./x#y",
    ],
    words: ["@", "\\", "%2e", "0x7f.1", "::ffff:", "[", "]", "localhost", "。", "\t"],
    run: readUrl,
    isDeclared: isGatewayError,
  },
  {
    name: "egress-address",
    seeds: [...closed, "8.8.8.8", "2001:4860:4860::8888", "::"],
    words: ["::", "ffff:", "0x", "."],
    run: classify,
    isDeclared: () => false,
  },
  {
    name: "egress-allow",
    seeds: ["127.0.0.0/8,localhost", "10.0.0.0/8, api.example.com:8443, [fe80::]/10"],
    words: ["/", ",", ":443", "*."],
    run: (bytes: Buffer) => parseEgressAllow(bytes.toString()),
    isDeclared: (err: unknown) => err instanceof EgressAllowError,
  },
];
