import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeRequest } from "./encode-request.ts";

async function parse(encoded: ReturnType<typeof encodeRequest>): Promise<unknown> {
  return JSON.parse(String(await encoded));
}

describe("a request on OpenAI's wire", () => {
  it("has the managed fields instead of the caller's", async () => {
    const request = { model: "alias", messages: [], stream: false, stream_options: {}, seed: 1 };
    expect(await parse(encodeRequest(request, { model: "m" }))).toEqual({ model: "m", messages: [], seed: 1 });
    expect(await parse(encodeRequest(request, { model: "m", stream: true, stream_options: { a: 1 } }))).toEqual({
      model: "m",
      messages: [],
      stream: true,
      stream_options: { a: 1 },
      seed: 1,
    });
  });

  it("has every other field of the caller, under any name", async () => {
    const name = fc.oneof(fc.constantFrom("__proto__", "constructor", "toJSON", "x"), fc.string({ minLength: 1 }));
    const fields = fc.array(fc.tuple(name, fc.jsonValue()), { maxLength: 6 }).map((list) => new Map(list));
    await fc.assert(
      fc.asyncProperty(fields, async (own) => {
        for (const managed of ["model", "stream", "stream_options"]) own.delete(managed);
        const sent = (await parse(encodeRequest(Object.fromEntries(own), { model: "m" }))) as object;
        const expected = JSON.parse(JSON.stringify([...own])) as [string, unknown][];
        expect(Object.entries(sent)).toHaveLength(own.size + 1);
        for (const [field, value] of expected) {
          expect(Object.getOwnPropertyDescriptor(sent, field)?.value).toEqual(value);
        }
      }),
    );
  });
});
