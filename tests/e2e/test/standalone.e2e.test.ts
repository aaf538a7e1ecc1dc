import { afterAll, beforeAll, describe } from "vitest";
import { startStandalone } from "../src/product.ts";
import { describeChat } from "./suite/chat-suite.ts";
import { describeGuardrails } from "./suite/guardrail-suite.ts";
import { describeBudgets, describeRateLimits } from "./suite/limit-suite.ts";
import { describeMcpBridge } from "./suite/mcp-bridge-suite.ts";
import { describeRefusals } from "./suite/refusal-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

describe("one process", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(async () => await startStandalone());
  });
  afterAll(async () => await world.stop());

  describeChat(() => world);
  describeRefusals(() => world);
  describeRateLimits(() => world);
  describeBudgets(() => world);
  describeGuardrails(() => world);
  describeMcpBridge(() => world);
});
