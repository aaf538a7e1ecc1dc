import { isGatewayError } from "@gatehouse/errors";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isPublicByReference } from "../test/reference-classifier.ts";
import { closedIpv4, closedIpv6, floor, publicIpv6 } from "./address-table.ts";
import { classifyAddress } from "./classify-address.ts";
import { parseEgressAllow } from "./egress-allow.ts";
import { createEgressGuard } from "./egress-guard.ts";

const seed = 20_260_101;
const perRun = 50;
const timeoutMs = 60_000;

/** Random bytes, or the first and last addresses of a table's networks and their neighbours, where mistakes are likely. */
function aroundNetworks(lengthBytes: number): fc.Arbitrary<Uint8Array> {
  const networks = [...closedIpv4, ...closedIpv6, ...floor, { network: publicIpv6 }]
    .map(({ network }) => network)
    .filter(({ bytes }) => bytes.length === lengthBytes);
  const bits = BigInt(lengthBytes * 8);
  const edge = fc
    .record({ network: fc.constantFrom(...networks), atEnd: fc.boolean(), step: fc.integer({ min: -2, max: 2 }) })
    .map(({ network, atEnd, step }) => {
      const first = toBigInt(network.bytes);
      const last = first | ((1n << (bits - BigInt(network.prefixBits))) - 1n);
      return fromBigInt(BigInt.asUintN(Number(bits), (atEnd ? last : first) + BigInt(step)), lengthBytes);
    });
  const inside = fc
    .record({ network: fc.constantFrom(...networks), rest: anyBytes(lengthBytes) })
    .map(({ network, rest }) => {
      const mask = (1n << (bits - BigInt(network.prefixBits))) - 1n;
      return fromBigInt((toBigInt(network.bytes) & ~mask) | (toBigInt(rest) & mask), lengthBytes);
    });
  return fc.oneof(edge, inside, anyBytes(lengthBytes));
}

const v4 = aroundNetworks(4);
const v6 = aroundNetworks(16);

/** An IPv4 address in each position of an IPv6 one that may embed it. */
const carrying = fc
  .record({ inner: v4, outer: v6, place: fc.constantFrom(...(["mapped", "isatap", "low", "6to4"] as const)) })
  .map(({ inner, outer, place }) => {
    const bytes = place === "mapped" || place === "low" ? new Uint8Array(16) : outer.slice();
    if (place === "mapped") bytes.set([0xff, 0xff], 10);
    if (place === "isatap") bytes.set([0, 0, 0x5e, 0xfe], 8);
    if (place === "6to4") bytes.set([0x20, 0x02], 0);
    bytes.set(inner, place === "6to4" ? 2 : 12);
    return bytes;
  });
const address = fc.oneof(
  { weight: 3, arbitrary: v4 },
  { weight: 3, arbitrary: v6 },
  { weight: 2, arbitrary: carrying },
);

test("two independent classifiers agree on 100,000 addresses, as bytes and as text", { timeout: timeoutMs }, () => {
  let seen = 0;
  let open = 0;
  fc.assert(
    fc.property(fc.array(address, { minLength: perRun, maxLength: perRun }), (addresses) => {
      for (const bytes of addresses) {
        const text = spell(bytes);
        const expected = isPublicByReference(text);
        if (classifyAddress(bytes).allowed !== expected || classifyAddress(text).allowed !== expected) {
          throw new Error(`${text} is ${expected ? "public" : "not public"}, says the reference`);
        }
        seen += 1;
        if (expected) open += 1;
      }
    }),
    { seed, numRuns: 100_000 / perRun },
  );
  expect(seen).toBeGreaterThanOrEqual(100_000);
  expect(open).toBeGreaterThan(seen / 10);
  expect(open).toBeLessThan(seen / 2);
});

test("an IPv4 address is judged by its value in each of 50,000 spellings", { timeout: timeoutMs }, () => {
  const guard = createEgressGuard();
  const spelling = fc.record({
    bytes: v4,
    bases: fc.tuple(base, base, base, base),
    parts: fc.integer({ min: 1, max: 4 }),
    suffix: fc.constantFrom("", "."),
  });
  fc.assert(
    fc.property(fc.array(spelling, { minLength: perRun, maxLength: perRun }), (spellings) => {
      for (const { bytes, bases, parts, suffix } of spellings) {
        const url = `http://${spellIpv4(bytes, bases.slice(0, parts))}${suffix}/`;
        const isOpen = isPublicByReference(spell(bytes));
        if (accepts(() => guard.parse(url)) !== isOpen) throw new Error(`${url} is ${spell(bytes)}: ${isOpen}`);
      }
    }),
    { seed, numRuns: 50_000 / perRun },
  );
});

/** Parts that break URLs: separators, escapes, digits of other scripts, invisible letters. */
const piece = fc.constantFrom(
  ..."http:// https:// // / \\ @ : . .. # ? % [ ] [:: ::ffff: 127.0.0.1 10.1 0x7f 0177 169.254.169.254 localhost example.com user:pass@ :80 :0 :99999 %2f %00 %2e 。 １２７ ①⑦ ⓛ xn-- xn--a- _ - * 4294967295 fe80::1%25eth0".split(
    " ",
  ),
  "\u00ad",
  "\u200b",
  "\ud800",
  "\0",
  "\t",
  "\r\n",
  " ",
  "\u3000",
  "\ufeff",
);
const brokenUrl = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
  fc.array(piece, { maxLength: 6 }).map((pieces) => `http://${pieces.join("")}/`),
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => `https://${text}`),
  fc.webUrl(),
);

test(
  "100,000 broken URLs throw nothing but refusals, and none of those accepted has a closed address",
  { timeout: timeoutMs },
  () => {
    const guard = createEgressGuard();
    let passed = 0;
    fc.assert(
      fc.property(fc.array(brokenUrl, { minLength: perRun, maxLength: perRun }), (texts) => {
        for (const text of texts) {
          if (!accepts(() => guard.parse(text))) continue;
          passed += 1;
          const { protocol, hostname, username, password } = new URL(text);
          const host = hostname.replace(/^\[(.*)\]$/, "$1");
          const isLiteral = host.includes(":") || /^[\d.]+$/.test(host);
          if (!/^https?:$/.test(protocol) || username + password !== "" || (isLiteral && !isPublicByReference(host))) {
            throw new Error(`passed: ${JSON.stringify(text)}`);
          }
          if (host === "localhost" || host === "") throw new Error(`passed: ${JSON.stringify(text)}`);
        }
      }),
      { seed, numRuns: 100_000 / perRun },
    );
    expect(passed).toBeGreaterThan(5_000);
  },
);

test("any text as an address or a list throws nothing but the readers' own errors", { timeout: timeoutMs }, () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("")),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      if (classifyAddress(candidate).allowed) expect(isPublicByReference(candidate)).toBe(true);
      try {
        parseEgressAllow(candidate);
      } catch (err) {
        expect(err).toHaveProperty("name", "EgressAllowError");
      }
    }),
    { seed, numRuns: 20_000 },
  );
});

const base = fc.constantFrom("decimal", "octal", "hex");

/** Writes the first parts as single bytes and the last one as the rest, each in its base (WHATWG URL, IPv4 parser). */
function spellIpv4(bytes: Uint8Array, bases: readonly ("decimal" | "octal" | "hex")[]): string {
  const last = bases.length - 1;
  return bases
    .map((form, i) => {
      const value = i < last ? BigInt(bytes[i] ?? 0) : toBigInt(bytes.subarray(last));
      if (form === "octal") return `0${value.toString(8)}`;
      return form === "hex" ? `0x${value.toString(16)}` : value.toString();
    })
    .join(".");
}

/** Plain form without compression, which depends on the bytes alone. */
function spell(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  return Array.from({ length: 8 }, (_, i) => (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16)).join(
    ":",
  );
}

function accepts(parse: () => URL): boolean {
  try {
    parse();
    return true;
  } catch (err) {
    if (isGatewayError(err) && err.code === "ssrf_blocked") return false;
    throw err;
  }
}

function anyBytes(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

function toBigInt(bytes: Uint8Array): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function fromBigInt(value: bigint, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Number((value >> BigInt(8 * (length - 1 - i))) & 0xffn));
}
