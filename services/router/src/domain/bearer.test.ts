import { isGatewayError } from "@gatehouse/errors";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readBearerToken } from "./bearer.ts";

function read(...values: readonly string[]): string {
  const result = readBearerToken(["Host", "x", ...values.flatMap((value) => ["Authorization", value])]);
  return isGatewayError(result) ? `! ${result.message}` : result;
}

describe("the Authorization header", () => {
  it.each([
    ["Bearer svc_live_x", "svc_live_x"],
    ["bearer svc_live_x", "svc_live_x"],
    ["BEARER   svc_live_x", "svc_live_x"],
    ["Bearer \t svc_live_x  ", "svc_live_x"],
    ["Bearer a b", "a b"],
    ["Bearer", "! Missing Bearer token."],
    ["Bearer   ", "! Missing Bearer token."],
    ["", "! Missing Bearer token."],
    ["Bearersvc_live_x", "! Missing Bearer token."],
    ["svc_live_x", "! Missing Bearer token."],
    ["Basic c3ZjOmxpdmU=", "! Missing Bearer token."],
    ["Token Bearer svc_live_x", "! Missing Bearer token."],
  ])("%j gives %j", (value, expected) => {
    expect(read(value)).toBe(expected);
  });

  it("is missing without a header", () => {
    expect(read()).toBe("! Missing Bearer token.");
  });

  it("is found in any case", () => {
    expect(readBearerToken(["aUTHORIZATION", "Bearer t"])).toBe("t");
  });

  it("is refused when it occurs twice, equal or not", () => {
    expect(read("Bearer a", "Bearer a")).toBe("! Invalid token format.");
    expect(read("Basic x", "Bearer a")).toBe("! Invalid token format.");
  });

  it("yields any token that has no space around it", () => {
    const token = fc.stringMatching(/^[!-~]([ -~]{0,60}[!-~])?$/);
    fc.assert(
      fc.property(
        token,
        fc.mixedCase(fc.constant("bearer")),
        fc.stringMatching(/^[ \t]{1,5}$/),
        (value, scheme, gap) => {
          expect(read(`${scheme}${gap}${value}`)).toBe(value);
        },
      ),
    );
  });

  it("never throws, and refuses everything but the Bearer scheme", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        if (!/^\s*bearer[ \t]+\S/i.test(value)) expect(read(value)).toBe("! Missing Bearer token.");
        else expect(typeof read(value)).toBe("string");
      }),
    );
  });
});
