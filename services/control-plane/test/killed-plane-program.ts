import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { untraced } from "@gatehouse/telemetry";
import { admin, startControlPlane } from "./control-plane.ts";

export interface PlaneMessage {
  readonly port: number;
}

const { PLANE_DATABASE_URL = "" } = process.env;
let isArmed = false;

/** Called after a change with an event is committed, before it is answered. */
function onCommitted(): void {
  if (!isArmed) return;
  process.kill(process.pid, "SIGKILL");
  // Blocks this process until the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const plane = await startControlPlane({
  databaseUrl: PLANE_DATABASE_URL,
  relays: { isHere: false, wake: onCommitted },
});
const server = createServer((req, res) => {
  const span = untraced.start("test", { kind: "server" });
  void plane.service.http?.(req, res, { principal: admin, requestId: "r", ipAddress: "127.0.0.1", span });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port } satisfies PlaneMessage);
});
process.on("message", () => {
  isArmed = true;
  process.send?.({ port: 0 } satisfies PlaneMessage);
});
process.on("disconnect", () => process.exit(0));
