import fc from "fast-check";
import { expect, test } from "vitest";
import { loadModel } from "../../model-file.ts";
import { compilePolicyWith } from "./compile-given-policy.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import { inspectPiece, type StreamState, streamBeginning } from "./inspect-piece.ts";
import { inspect } from "./inspect.ts";

const compile = (document: object) => compilePolicyWith({ apply_to_output: true, ...document }, loadModel());
const masking = compile({ pii: { mode: "mask" } });

/** Shows pieces one after the other, until one blocks. */
function start(policy: CompiledPolicy = masking) {
  let state: StreamState = streamBeginning;
  let block: string | undefined;
  const push = (text: string, isLast = false): string => {
    if (block !== undefined) return "";
    const verdict = inspectPiece(policy, { state, text, isLast });
    state = verdict.state;
    block = verdict.block?.message;
    return verdict.shown;
  };
  return { push, end: () => push("", true), blockedBy: () => block };
}

function stream(chunks: readonly string[], policy = masking): string {
  const pieces = start(policy);
  return chunks.map((chunk) => pieces.push(chunk)).join("") + pieces.end();
}

/** The mask of a text that is judged whole. */
function maskWhole(text: string, policy = masking): string {
  const { maskedTexts } = inspect(policy, { side: "output", texts: [{ role: "assistant", text }] });
  return maskedTexts?.[0] ?? text;
}

const secrets = [
  "ana.silva@example.org",
  "4111 1111 1111 1111",
  "DE89 3704 0044 0532 0130 00",
  "192.168.10.4",
  "+1 415 555 0132",
];

const alone = [
  ...secrets,
  "ana [at] example [dot] org",
  "ana dot silva at example dot com",
  "maria_jose at mail dot example dot com",
  "the card 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
  "the card 4111 1111\n1111 1111",
  '{"card": 4.111111111111111e15}',
  "Tel.: 030/1234567",
  "Telefon 0664 / 123 45 67-0",
];

test.each(alone)("%s is masked for any split of the stream in two", (secret) => {
  const text = `Well, you can use ${secret}, I think. Bye.`;
  const whole = maskWhole(text);
  expect(whole).not.toContain(secret);
  for (let at = 0; at <= text.length; at += 1) expect(stream([text.slice(0, at), text.slice(at)])).toBe(whole);
});

test.each(alone)("%s is masked when it comes one character at a time", (secret) => {
  const text = `Well, you can use ${secret}, I think. Bye.`;
  expect(stream(Array.from(text))).toBe(maskWhole(text));
});

test.each<[string, string, string]>([
  [String.raw`order number is \d+`, "the order number is 77 thanks", "the [own] thanks"],
  ["begin .* finish", "we begin with a long walk and finish it", "we [own] it"],
  [String.raw`(?i)secret\s+plan [A-Z]`, "our SECRET  plan B, so far", "our [own], so far"],
  ["[^.]+ Falcon", "No. The Falcon flies", "No.[own] flies"],
  [String.raw`TCK-\d{4}`, "see TCK-1234 and TCK-99", "see [own] and TCK-99"],
])("the own pattern %s masks a stream as it masks a whole answer", (pattern, text, masked) => {
  const policy = compile({ patterns: [{ name: "own", pattern, mode: "mask" }] });
  expect(maskWhole(text, policy)).toBe(masked);
  expect(stream(Array.from(text), policy)).toBe(masked);
  for (let at = 0; at <= text.length; at += 1) expect(stream([text.slice(0, at), text.slice(at)], policy)).toBe(masked);
});

test("a pattern of one word withholds one word, and one that reaches over words as much as it looks back", () => {
  const prose = "word ".repeat(1_000);
  const shownAtOnce = (pattern: string) =>
    start(compile({ patterns: [{ name: "own", pattern, mode: "mask" }] })).push(prose).length;
  expect(shownAtOnce(String.raw`TCK-[0-9]{4}\b`)).toBeGreaterThan(prose.length - 20);
  expect(shownAtOnce("order number")).toBeGreaterThan(prose.length - 2_100);
  expect(shownAtOnce("order number")).toBeLessThan(prose.length - 2_000);
});

const words = fc.constantFrom("so", "then", "use", "the", "blue", "one", "and", "we", "read", "slowly", ...secrets);

test("no split of a text shows any masked value, and nothing else is lost", () => {
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(200), { maxLength: 8 }),
      (parts, cuts) => {
        const text = parts.join(", ");
        const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const chunks = places.slice(1).map((end, index) => text.slice(places[index], end));
        const shown = stream(chunks);
        for (const secret of secrets) expect(shown).not.toContain(secret);
        const kept = parts.filter((part) => !secrets.includes(part));
        expect(shown.match(/\b(?:so|then|use|the|blue|one|and|we|read|slowly)\b/gu) ?? []).toEqual(kept);
      },
    ),
    { seed: 3, numRuns: 300 },
  );
});

/** Parts of values in every form, and words that stand between them. */
const partsOfValues = fc.constantFrom(
  ...(
    "ana silva john maria_jose dot at underscore punkt punto arroba @ example com com. com谢谢 我的ana99 Go uk org x.y [at] (at) [dot] . , ; mail write to reach the of and " +
    "card visa 4 1 1 1 4111 1111 1111 1111 4111-1111-1111-1111 phone call +49 30 901820 0 3 DE89 3704 0044 0532 0130 00 " +
    "192 [.] 192.168.10.4 192[.]0[.]2[.]1 version 1.2.3.4 password is abc123de secret token: Q7w8E9r0T1y2U3i4 2024 a1 1a " +
    `password="Tr0ub4é.x password: "Tr0ub4 dor(3x" it's9x' pwd='a1b2c3; ", ' b,c=1 Tr0ub4,x&y "pass":"Ab1\\"cde`
  ).split(" "),
  "\n",
);

test("a stream shows what the mask of the whole text shows, one character at a time", () => {
  const policy = compile({ pii: { mode: "mask" }, secrets: { mode: "mask" } });
  fc.assert(
    fc.property(
      fc.array(partsOfValues, { minLength: 2, maxLength: 14 }),
      fc.constantFrom(" ", "  "),
      (parts, blank) => {
        const text = parts.join(blank);
        expect(stream(Array.from(text), policy)).toBe(maskWhole(text, policy));
      },
    ),
    { seed: 5, numRuns: 2_000 },
  );
});

const jsonTexts = fc.array(partsOfValues, { maxLength: 5 }).map((parts) => parts.join(" "));
const jsonNumbers = fc.constantFrom(4_111_111_111_111_111, 4111, 1111, 49_309_018_203, -4_111_111_111_111_111, 7);
const jsonNames = fc.oneof(
  jsonTexts,
  fc.constantFrom("ana@example.org", "bo@example.org", "[E-Mail]", "card", "phone"),
);
const { value: jsonValues } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    jsonTexts,
    jsonNumbers,
    fc.constantFrom(true, null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(jsonNames, tie("value"), { maxKeys: 4 }),
  ),
}));

test("masked JSON is JSON with as many members, in a stream as in a whole answer", () => {
  const policy = compile({ pii: { mode: "mask" }, secrets: { mode: "mask" } });
  const countMembers = (json: string): number => {
    let members = 0;
    JSON.parse(json, (_name, value: unknown) => ((members += 1), value));
    return members;
  };
  fc.assert(
    fc.property(fc.dictionary(jsonNames, jsonValues, { minKeys: 1 }), fc.constantFrom(0, 1), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const whole = maskWhole(text, policy);
      expect(countMembers(whole)).toBe(countMembers(text));
      expect(stream(Array.from(text), policy)).toBe(whole);
    }),
    { seed: 7, numRuns: 1_000 },
  );
});

test.each([
  { password: "\tHunter2Secret9", note: "so" },
  { note: "well\nIBAN DE89 3704 0044\n0532 0130 00, the card\n4111\n1111\n1111\n1111\nso", more: 1 },
  { note: "\n\napi_key: abcDEF123456ghiJKL789mno\r\nthen ana@example.org" },
  { words: "the words before it ".repeat(12), url: "https://user:Hunter2Secret9@host.example/x" },
])("a value behind an escaped blank of JSON is masked for any split of the stream: %j", (value) => {
  const policy = compile({ pii: { mode: "mask" }, secrets: { mode: "mask" } });
  const text = JSON.stringify(value).replaceAll("/", String.raw`\/`);
  const whole = maskWhole(text, policy);
  for (const secret of ["Hunter2", "DE89", "0532", "4111", "1111", "abcDEF", "ana@"])
    expect(whole).not.toContain(secret);
  expect(stream(Array.from(text), policy)).toBe(whole);
  for (let at = 0; at <= text.length; at += 1) expect(stream([text.slice(0, at), text.slice(at)], policy)).toBe(whole);
});

test("a number with an exponent is masked as the number that it is, and the text stays JSON", () => {
  expect(maskWhole('{"card":4.111111111111111e15,"n":1.5e2}')).toBe('{"card":"[Credit card]","n":1.5e2}');
});

test("plain prose is not withheld until its end", () => {
  const mask = start();
  expect(mask.push("It was a bright cold day in the north and nobody was about ")).toContain("bright cold day");
});

test("a word is withheld if it is a sign of a spoken address, and none that no address has", () => {
  const mask = start();
  expect(mask.push("we read the dash dash dash minus underscore ")).toBe("we read the dash dash dash minus ");
  expect(mask.push("to ana dot silva at example dot ")).toBe("underscore to ");
});

test.each([9_000, 16_384])("a value at the end of a piece of %i characters is masked", (length) => {
  for (const secret of secrets) {
    for (let begun = 1; begun < secret.length; begun += 1) {
      const before = "so much for that ".repeat(1_000).slice(0, length - begun - 1);
      const text = `${before} ${secret}, I think.`;
      expect(stream([text.slice(0, length), text.slice(length)])).toBe(`${before} ${maskWhole(`${secret}, I think.`)}`);
    }
  }
});

test("an endless word is shown within a bound, and none of it is lost", () => {
  const mask = start();
  const chunk = "z".repeat(1000);
  let shown = "";
  for (let count = 0; count < 20; count += 1) shown += mask.push(chunk);
  expect(shown.length).toBeGreaterThan(0);
  expect((shown + mask.end()).length).toBe(20_000);
});

test("a find that grows with each piece is shown as its mask within a bound", () => {
  const policy = compile({ patterns: [{ name: "rest", pattern: "(?s)begin.*", mode: "mask" }] });
  let state: StreamState = streamBeginning;
  for (let count = 0; count < 20; count += 1) {
    const verdict = inspectPiece(policy, { state, text: `begin ${"of it all ".repeat(200)}`, isLast: false });
    state = verdict.state;
    expect(verdict.shown).not.toContain("of it");
    expect(state.held.length).toBeLessThanOrEqual(8_192);
  }
});

test("a stream passes at once where answers are not judged", () => {
  const mask = start(compile({ pii: { mode: "mask" }, apply_to_output: false }));
  expect(mask.push("ana@exam")).toBe("ana@exam");
  expect(mask.end()).toBe("");
});

test("prose in a script without blanks is not withheld until its end", () => {
  const mask = start();
  expect(mask.push("今天的天气非常好，我们一起去公园散步吧。".repeat(4)).length).toBeGreaterThan(40);
  expect(mask.push("我的邮箱是ana@exam") + mask.push("ple.org，谢谢") + mask.end()).toMatch(
    /我的邮箱是\[E-Mail\]，谢谢$/u,
  );
});

test("credentials are masked too, long private keys included", () => {
  const policy = compile({ secrets: { mode: "mask" }, pii: { mode: "mask" } });
  const token = ["gh", "p_", "a1B2".repeat(9)].join("");
  const pem = ["-----BEGIN ", "PRIVATE KEY-----\n", "Ab1/".repeat(4_000), "\n-----END ", "PRIVATE KEY-----"].join("");
  const text = `use ${token} and password=Tr0ub4dor&3x for ana@example.org; ${pem} end`;
  const whole = "use [API key] and password=[Password] for [E-Mail]; [API key] end";
  for (const size of [1, 7, 100, 5_000, 100_000]) {
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    );
    expect(stream(chunks, policy)).toBe(whole);
  }
});

test.each([
  ["a word of keys", masking, "-----BEGIN here"],
  ["a long certificate", masking, "-----BEGIN CERTIFICATE-----"],
  [
    "the first line of a key that is only mentioned",
    compile({ secrets: { mode: "mask" } }),
    ["-----BEGIN ", "PRIVATE KEY-----"].join(""),
  ],
  ["a key that is only recorded", compile({ secrets: { mode: "log" } }), ["-----BEGIN ", "PRIVATE KEY-----"].join("")],
])("nothing behind %s is lost", (_what, policy, head) => {
  const text = `${head}\n${"so much for that ".repeat(1_200)}`;
  for (const size of [300, 9_000]) {
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    );
    expect(stream(chunks, policy)).toBe(text);
  }
});

test.each([
  [
    "a keyword",
    { keywords: ["Blue Moon"] },
    "tell of the blue moon tonight",
    "Request blocked: keyword 'Blue Moon' detected in output.",
  ],
  [
    "a keyword without blanks",
    { keywords: ["机密"] },
    "这是机密文件，请不要外传".repeat(5),
    "Request blocked: keyword '机密' detected in output.",
  ],
  [
    "a pattern",
    { patterns: [{ name: "ticket", pattern: "TCK-[0-9]{4}" }] },
    "see TCK-1234 now",
    "Request blocked: keyword 'ticket' detected in output.",
  ],
  [
    "personal data",
    { pii: { mode: "block" } },
    "pay with 4111 1111 1111 1111 today",
    "Request blocked: Credit card detected in output.",
  ],
  [
    "a credential",
    { secrets: { mode: "block" } },
    "password=Tr0ub4dor&3x here",
    "Request blocked: Password detected in output.",
  ],
])("%s ends the stream before it is shown completely, for any split", (...[, document, text, message]) => {
  const policy = compile(document);
  for (let at = 0; at <= text.length; at += 1) {
    const pieces = start(policy);
    const shown = pieces.push(text.slice(0, at)) + pieces.push(text.slice(at)) + pieces.end();
    expect(pieces.blockedBy()).toBe(message);
    for (const secret of ["blue moon", "机密", "TCK-1234", "1111 1111", "ub4dor"]) expect(shown).not.toContain(secret);
  }
});

test("findings in log mode are shown, and reported once", () => {
  const policy = compile({ pii: { mode: "log", actions: { email: "mask" } } });
  const found: string[] = [];
  let state: StreamState = streamBeginning;
  let shown = "";
  for (const [index, text] of ["mail ana@example.org ", "or call +1 415 555 ", "0132 now, please", ""].entries()) {
    const verdict = inspectPiece(policy, { state, text, isLast: index === 3 });
    state = verdict.state;
    shown += verdict.shown;
    found.push(...verdict.findings.map(({ label }) => label));
  }
  expect(shown).toBe("mail [E-Mail] or call +1 415 555 0132 now, please");
  expect(found).toEqual(["E-Mail", "Phone number"]);
});

test.each<[string, object, string]>([
  ["a keyword", { keywords: ["falcon"] }, "ry is fine."],
  ["a credential", { secrets: { mode: "block" } }, "x is fine."],
])("a value is masked while %s stands behind it that the next piece makes another word", (what, checks, rest) => {
  const { push, end, blockedBy } = start(compile({ pii: { mode: "mask" }, ...checks }));
  const open = what === "a keyword" ? "falcon" : "AKIAIOSFODNN7EXAMPLE";
  const shown = push(`Write to ana.silva@example.org about this and that, please ${open}`) + push(rest) + end();
  expect(shown).toBe(`Write to [E-Mail] about this and that, please ${open}${rest}`);
  expect(blockedBy()).toBeUndefined();
});
