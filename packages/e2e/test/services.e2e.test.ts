import { afterAll, beforeAll, describe } from "vitest";
import { startServices } from "../src/product.ts";
import { describeChat } from "./suite/chat-suite.ts";
import { describeGuardrails } from "./suite/guardrail-suite.ts";
import { describePolicies } from "./suite/policy-suite.ts";
import { describeRefusals } from "./suite/refusal-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

describe("router, control plane, chat and guardrail as four processes", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(async () => await startServices());
  });
  afterAll(async () => await world.stop());

  describeChat(() => world);
  describeRefusals(() => world);
  describePolicies(() => world);
  describeGuardrails(() => world);
});
