import { createServer } from "node:net";
import { ConfigError } from "@gatehouse/config";
import { findFreePort } from "@gatehouse/ports";
import { UnusablePortError } from "@gatehouse/service";
import { expect, test } from "vitest";
import { checkPorts } from "../src/app.ts";

const here = "127.0.0.1";
/** A name that no resolver has (RFC 2606), and an address for documentation (RFC 5737). */
const elsewhere = { name: "gatehouse.invalid", address: "192.0.2.77" };

test("hosts that are not of this machine are reported together, each by its setting", async () => {
  const refused = checkPorts({ host: elsewhere.name, port: 0, operations: { host: elsewhere.address, port: 0 } });
  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toMatchObject({
    problems: [
      expect.stringMatching(/^HOST must be an address of this machine \((ENOTFOUND|EAI_AGAIN)\)/),
      expect.stringMatching(/^OPS_HOST must be an address of this machine \(EADDRNOTAVAIL\)/),
    ],
  });
});

test("a port in use is not taken for a wrong host, and the free one is released", async () => {
  const port = await findFreePort();
  const holder = createServer().listen(port, here);
  const free = await findFreePort();
  await expect(checkPorts({ host: here, port, operations: { host: here, port: free } })).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
  const refused = checkPorts({ host: here, port: free, operations: { host: here, port } });
  await expect(refused).rejects.toThrow(UnusablePortError);
  await checkPorts({ host: here, port: free, operations: { host: here, port: 0 } });
  await new Promise((resolve) => holder.close(resolve));
});
