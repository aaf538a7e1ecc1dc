import { expect, test } from "vitest";
import { parseCollectorHeaders } from "./collector.ts";

test("headers are parsed in OpenTelemetry's form, with encoded values and equals signs", () => {
  expect(parseCollectorHeaders("Authorization=Basic%20dXNlcjpwYXNz==, X-Scope=a%2Cb")).toEqual([
    ["Authorization", "Basic dXNlcjpwYXNz=="],
    ["X-Scope", "a,b"],
  ]);
});

test.each(["", "key", "key=", "=value", "a=b,", "a b=c", "a=%", "a=x%0d%0ay", "Content-Type=text/plain", "host=x"])(
  "%j is not a list of headers",
  (text) => {
    expect(parseCollectorHeaders(text)).toBeUndefined();
  },
);
