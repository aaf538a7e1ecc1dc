import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { runCommandLine } from "../src/program.ts";

test("the error for a refused admin key names the key and where it can come from", async () => {
  const gateway = createServer((req, res) => {
    const error = req.headers.authorization === undefined ? "Missing Bearer token." : "Invalid or revoked token.";
    res.writeHead(401, { "content-type": "application/json", "x-request-id": "r" });
    req.resume().once("end", () => res.end(JSON.stringify({ ok: false, error })));
  }).listen(0, "127.0.0.1");
  await once(gateway, "listening");
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const env = { GATEHOUSE_URL: url, GATEHOUSE_ADMIN_KEY: "svc_admin_wrong" };
  const stdin = (async function* () {})();
  const code = await runCommandLine(["project", "list"], { env, stdin, out: write, err: write });
  gateway.close();
  gateway.closeAllConnections();
  expect(code).toBe(1);
  expect(lines).toEqual([
    "Error: The gateway refuses the admin key. Invalid or revoked token. An admin key begins with svc_admin_: check GATEHOUSE_ADMIN_KEY or the file of --admin-key-file.",
  ]);
});
