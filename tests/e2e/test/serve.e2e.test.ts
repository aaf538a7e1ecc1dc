import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startChild } from "../src/child.ts";
import { allowLoopback } from "../src/product-world.ts";
import { startServices } from "../src/product.ts";
import { describeChat } from "./suite/chat-suite.ts";
import { describeGuardrails } from "./suite/guardrail-suite.ts";
import { describeNames, otherNames } from "./suite/name-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

describe("services in two sets, a process each", () => {
  let world: World;
  beforeAll(async () => {
    const calls = ["chat", "guardrail", "mcp-aggregator", "api-proxy", "logbook", "webhook-dispatcher"] as const;
    world = await createWorld(
      async () =>
        await startServices({
          env: { ...allowLoopback, ...otherNames.env },
          sets: [["router", "control-plane", "mcp-bridge"], calls],
        }),
    );
  });
  afterAll(async () => await world.stop());

  describeChat(() => world);
  describeGuardrails(() => world);
  describeNames(() => world, otherNames);
});

const ended = async (child: ReturnType<typeof startChild>) =>
  await new Promise<number | null>((resolve) => child.process.once("close", resolve));

describe("gatehouse serve", () => {
  const start = (env: Readonly<Record<string, string>>, ...args: string[]) =>
    startChild("deploy/serve/dist/main.js", env, { args });

  it("ends with 2 and the list of services for an unknown one", async () => {
    const child = start({}, "chat,chart");
    expect(await ended(child)).toBe(2);
    expect(child.output()).toContain("There is no service 'chart'.");
    expect(child.output()).toContain("mcp-aggregator");
  });

  it("ends with 2 and names each service whose settings are wrong", async () => {
    const child = start({ CHAT__PORT: "x" }, "chat,guardrail");
    expect(await ended(child)).toBe(2);
    for (const text of ["chat: PORT must be", "chat: DATABASE_URL", "guardrail: DATABASE_URL"])
      expect(child.output()).toContain(text);
    expect(child.output()).not.toContain("guardrail: PORT");
  });
});
