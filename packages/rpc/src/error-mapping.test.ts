import { expect, test } from "vitest";
import { fromCallError } from "./error-mapping.ts";

test("a call that its caller's timer has ended is late, and no internal error", () => {
  expect(fromCallError(new DOMException("m", "TimeoutError"))).toMatchObject({ code: "deadline_exceeded" });
  expect(fromCallError(new DOMException("m", "AbortError"))).toMatchObject({ code: "cancelled" });
  expect(fromCallError(new Error("m"))).toMatchObject({ code: "internal" });
});
