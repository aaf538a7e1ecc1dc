import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRequestIds } from "./request-id.ts";

describe("request ids", () => {
  it("are the client's own where the form is accepted", () => {
    expect(createRequestIds("p-")("order-42_a.B")).toBe("order-42_a.B");
    expect(createRequestIds("p-")("x".repeat(64))).toBe("x".repeat(64));
  });

  it("are generated where the client sent none, several, or another form", () => {
    const next = createRequestIds("p-");
    const made = [undefined, ["a", "b"], "", "x".repeat(65), "a b", "a\r\nb", "ä"].map((sent) => next(sent));
    expect(new Set(made).size).toBe(made.length);
    for (const id of made) expect(id).toMatch(/^p-[0-9a-z]{6}$/);
  });

  it("always have the accepted form", () => {
    const next = createRequestIds("req-0123456789abcdef01-");
    fc.assert(fc.property(fc.string(), (sent) => /^[A-Za-z0-9._-]{1,64}$/.test(next(sent))));
  });
});
