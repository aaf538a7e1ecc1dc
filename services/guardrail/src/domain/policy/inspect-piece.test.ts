import fc from "fast-check";
import { expect, test } from "vitest";
import { loadModel } from "../../model-file.ts";
import { compilePolicyWith } from "./compile-given-policy.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import { inspectPiece, type StreamState, streamBeginning } from "./inspect-piece.ts";

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

const secrets = [
  "ana.silva@example.org",
  "4111 1111 1111 1111",
  "DE89 3704 0044 0532 0130 00",
  "192.168.10.4",
  "+1 415 555 0132",
];

const alone = [...secrets, "ana [at] example [dot] org"];

test.each(alone)("%s is masked for any split of the stream in two", (secret) => {
  const text = `Well, you can use ${secret}, I think. Bye.`;
  const whole = stream([text]);
  expect(whole).not.toContain(secret);
  for (let at = 0; at <= text.length; at += 1) expect(stream([text.slice(0, at), text.slice(at)])).toBe(whole);
});

test.each(alone)("%s is masked when it comes one character at a time", (secret) => {
  const text = `Well, you can use ${secret}, I think. Bye.`;
  expect(stream(Array.from(text))).toBe(stream([text]));
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

test("plain prose is not withheld until its end", () => {
  const mask = start();
  expect(mask.push("It was a bright cold day in the north and nobody was about ")).toContain("bright cold day");
});

test("an endless word is shown within a bound, and none of it is lost", () => {
  const mask = start();
  const chunk = "z".repeat(1000);
  let shown = "";
  for (let count = 0; count < 20; count += 1) shown += mask.push(chunk);
  expect(shown.length).toBeGreaterThan(0);
  expect((shown + mask.end()).length).toBe(20_000);
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
