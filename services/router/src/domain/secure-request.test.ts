import { expect, test } from "vitest";
import { isSecureRequest } from "./secure-request.ts";

const publicUrl = "https://gateway.example.com";

test.each([
  [true, { headers: {}, protocol: "https", publicUrl: undefined }],
  [
    true,
    {
      headers: { origin: "HTTPS://gateway.example.com", host: "gateway.example.com" },
      protocol: "http",
      publicUrl: undefined,
    },
  ],
  [true, { headers: { host: "Gateway.example.com" }, protocol: "http", publicUrl }],
  // A page of another site.
  [false, { headers: { origin: "https://evil.example.com", host: "localhost:8080" }, protocol: "http", publicUrl }],
  // Through a tunnel, or on a port of the machine itself.
  [false, { headers: { host: "localhost:8080" }, protocol: "http", publicUrl }],
  [false, { headers: { host: "gateway.example.com" }, protocol: "http", publicUrl: "http://gateway.example.com" }],
  [false, { headers: { origin: "http://gateway.example.com" }, protocol: undefined, publicUrl: undefined }],
] as const)("%j for %j", (expected, reached) => expect(isSecureRequest(reached)).toBe(expected));
