import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startNatsServer } from "./start-nats-server.ts";

test("a missing program fails the start", async () => {
  const file = (name: string) => join(tmpdir(), `gatehouse-no-such-${name}`);
  const options = { program: file("program"), configFile: file("config"), pidFile: file("pid"), port: 1 };
  await expect(startNatsServer({ ...options, onLine: () => {} })).rejects.toThrow("nats-server has ended");
});
