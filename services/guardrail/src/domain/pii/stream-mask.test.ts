import fc from "fast-check";
import { expect, test } from "vitest";
import { loadModel } from "../../model-file.ts";
import { compilePolicyWith } from "../policy/compile-policy.ts";
import { createStreamMask } from "./stream-mask.ts";

const masking = compilePolicyWith({ pii: { mode: "mask" } }, loadModel());
const logging = compilePolicyWith({ pii: { mode: "log" } }, loadModel());

function stream(chunks: readonly string[], policy = masking): string {
  const mask = createStreamMask(policy);
  return chunks.map((chunk) => mask.push(chunk)).join("") + mask.end();
}

const secrets = [
  "ana.silva@example.org",
  "4111 1111 1111 1111",
  "DE89 3704 0044 0532 0130 00",
  "192.168.10.4",
  "+1 415 555 0132",
];

const alone = [...secrets, "ana [at] example [dot] org"];

test.each(alone)("%s is masked wherever the stream is split in two", (secret) => {
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

test("no split of any text lets any of it through, and nothing else is lost", () => {
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

test("plain prose is not held back to its end", () => {
  const mask = createStreamMask(masking);
  expect(mask.push("It was a bright cold day in the north and nobody was about ")).toContain("bright cold day");
});

test("an endless word is let go within a bound, and nothing of it is lost", () => {
  const mask = createStreamMask(masking);
  const chunk = "z".repeat(1000);
  let shown = "";
  for (let count = 0; count < 20; count += 1) shown += mask.push(chunk);
  expect(shown.length).toBeGreaterThan(0);
  expect((shown + mask.end()).length).toBe(20_000);
});

test("without mask mode everything passes at once", () => {
  const mask = createStreamMask(logging);
  expect(mask.push("ana@exam")).toBe("ana@exam");
  expect(mask.end()).toBe("");
});
