import { expect, test } from "vitest";
import { fromCallError } from "./error-mapping.ts";

test("a call's time-out is deadline_exceeded, its abort cancelled, and any other error internal", () => {
  expect(fromCallError(new DOMException("m", "TimeoutError"))).toMatchObject({ code: "deadline_exceeded" });
  expect(fromCallError(new DOMException("m", "AbortError"))).toMatchObject({ code: "cancelled" });
  expect(fromCallError(new Error("m"))).toMatchObject({ code: "internal" });
});
