import { expect, test } from "vitest";
import { countSentTokens, mediaTokens, type SentContent, sentTokensMax } from "./sent-tokens.ts";

const counter = {
  ofTexts: async (texts: readonly string[]) => await Promise.resolve(texts.reduce((sum, text) => sum + text.length, 0)),
};

const hello: SentContent = { messages: [{ role: "user", content: "hello" }], parameters: {} };
const long = "x".repeat(10_000);

test("a prompt counts its texts and the frames of its messages and of the answer", async () => {
  expect(await countSentTokens(hello, counter)).toBe(5 + 4 + 3);
  expect(await sentTokensMax(hello)).toBeGreaterThanOrEqual(12);
});

test.each<[string, Partial<SentContent>]>([
  ["the description of a tool", { parameters: { tools: [{ type: "function", function: { description: long } }] } }],
  [
    "a name in a tool's schema",
    { parameters: { tools: [{ function: { parameters: { properties: { [long]: {} } } } }] } },
  ],
  ["the schema of the answer", { parameters: { response_format: { json_schema: { schema: { description: long } } } } }],
  ["an unknown parameter", { parameters: { unheard_of: [long] } }],
  [
    "the arguments of a tool call",
    { messages: [{ role: "assistant", tool_calls: [{ function: { arguments: long } }] }] },
  ],
  ["a message's name", { messages: [{ role: "user", content: "", name: long }] }],
  ["a part of an unknown type", { messages: [{ role: "user", content: [{ type: "document", data: long }] }] }],
  ["an unknown member", { messages: [{ role: "user", content: "", Content: long }] }],
])("%s counts", async (_name, changes) => {
  const sent = { ...hello, ...changes };
  expect(await countSentTokens(sent, counter)).toBeGreaterThanOrEqual(long.length);
  expect(await sentTokensMax(sent)).toBeGreaterThanOrEqual(long.length);
});

test.each([2 ** 63, 1e300])(
  "the number %d of an endpoint's parameters counts, although no caller may send it",
  async (seed) => {
    const schema = { properties: { a: { type: "integer", default: seed } } };
    const parameters = { seed, tools: [{ type: "function", function: { parameters: schema } }] };
    const sent = { ...hello, parameters };
    expect(await countSentTokens(sent, counter)).toBeGreaterThan(await countSentTokens(hello, counter));
    expect(await sentTokensMax(sent)).toBeGreaterThan(await sentTokensMax(hello));
  },
);

function withPart(part: object): SentContent {
  return { messages: [{ role: "user", content: [part] }], parameters: {} };
}

const png = `data:image/png;base64,${"A".repeat(100_000)}`;

test.each([
  ["a picture", { type: "image_url", image_url: { url: png } }, mediaTokens.image, mediaTokens.imageMax],
  [
    "a picture seen from afar",
    { type: "image_url", image_url: { url: png, detail: "low" } },
    mediaTokens.imageLowDetail,
    mediaTokens.imageLowDetailMax,
  ],
  [
    "a sound of 75 kB",
    { type: "input_audio", input_audio: { data: `/${"A".repeat(99_999)}`, format: "mp3" } },
    75_000 / mediaTokens.soundBytesPerToken,
    mediaTokens.fileMax,
  ],
])("%s counts by its kind and size, not by its payload's letters", async (...[, part, about, most]) => {
  const counted = await countSentTokens(withPart(part), counter);
  expect(counted).toBeGreaterThanOrEqual(about);
  expect(counted).toBeLessThan(about + 300);
  const reserved = await sentTokensMax(withPart(part));
  expect(reserved).toBeGreaterThanOrEqual(most);
  expect(reserved).toBeLessThan(most + 300);
});
