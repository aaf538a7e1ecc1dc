import { expect, test } from "vitest";
import { endToEndHeaders } from "./end-to-end-headers.ts";

test("headers named in any of several Connection headers are removed", () => {
  // Undici gives a list where a reply has a header twice, contrary to Node's types.
  const connection = ["Upgrade", "x-hop, keep-alive"] as unknown as string;
  const headers = endToEndHeaders({ connection, upgrade: "websocket", "x-hop": "1", "x-end": "2" }, new Set());
  expect(headers).toEqual({ "x-end": "2" });
});
