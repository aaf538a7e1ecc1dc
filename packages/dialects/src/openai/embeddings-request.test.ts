import { toBase64Vector } from "@gatehouse/providers";
import { loadTokenDecoder } from "@gatehouse/tokens";
import { describe, expect, it } from "vitest";
import { decodeInputs, parseEmbeddingsRequest } from "./embeddings-request.ts";

async function parse(body: unknown) {
  return await decodeInputs(parseEmbeddingsRequest(body), loadTokenDecoder());
}

describe("an embeddings request", () => {
  it.each([
    ["Hello", ["Hello"]],
    [
      ["a", "b"],
      ["a", "b"],
    ],
    [[15_339, 1_917], ["hello world"]],
    [
      [[15_339], [1_917]],
      ["hello", " world"],
    ],
  ])("shows the pipeline the texts of %j", async (input, texts) => {
    const request = await parse({ model: "m", input, dimensions: 2 });
    expect(request.messages).toEqual(texts.map((content) => ({ role: "user", content })));
    expect(request).toMatchObject({ operation: "embeddings", slug: "m", isSingleInput: texts.length === 1 });
    expect(request.parameters).toEqual({ dimensions: 2 });
  });

  it.each<[unknown, string]>([
    [null, "Request body must be a JSON object."],
    [{ input: "x" }, "'model' is required: the slug of the endpoint to call."],
    [{ model: "m" }, "'input' is required: the text to embed, or an array of texts."],
    [{ model: "m", input: [] }, "'input' must not be empty."],
    [{ model: "m", input: "" }, "'input' must not hold an empty text."],
    [{ model: "m", input: ["a", ""] }, "'input' must not hold an empty text."],
    [{ model: "m", input: Array(2_049).fill("x") }, "'input' must have at most 2048 entries."],
    ...[1, {}, null, true, ["a", 1], [[1], "a"], [[]], [1.5], [-1], [["a"]]].map<[unknown, string]>((input) => [
      { model: "m", input },
      "'input' must be a string, an array of strings, or tokens.",
    ]),
    [
      { model: "m", input: [999_999_999] },
      "'input' must be a string, an array of strings, or tokens of the encoding cl100k_base.",
    ],
    [{ model: "m", input: Array(8_193).fill(1) }, "'input' must have at most 8192 tokens in one entry."],
    [
      { model: "m", input: Array(40).fill(Array(8_000).fill(1)) },
      "'input' must have at most 300000 tokens in all entries together.",
    ],
    [{ model: "m", input: "x", encoding_format: "hex" }, "'encoding_format' must be float or base64."],
    [{ model: "m", input: "x", dimensions: 0 }, "'dimensions' must be a whole number from 1 to 1000000."],
    [{ model: "m", input: "x", dimensions: "8" }, "'dimensions' must be a whole number from 1 to 1000000."],
  ])("is refused for %j", async (body, message) => {
    await expect(parse(body)).rejects.toMatchObject({ code: "malformed_body", message });
  });
});

it("encodes a vector as OpenAI does: 32-bit floats, little-endian", () => {
  expect(toBase64Vector([0.5, -0.25])).toBe("AAAAPwAAgL4=");
});
