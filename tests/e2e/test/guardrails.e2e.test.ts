import { afterAll, beforeAll, describe } from "vitest";
import { allowLoopback } from "../src/product-world.ts";
import { startServices, startStandalone } from "../src/product.ts";
import { describeGatewayGuardrails } from "./suite/gateway-guardrail-suite.ts";
import { describeGuardrails } from "./suite/guardrail-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

describe.each([
  ["one process", startStandalone],
  ["services", startServices],
])("guardrails of %s", (_name, start) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(async () => await start({ env: allowLoopback }));
  });
  afterAll(async () => await world.stop());

  describeGuardrails(() => world);
  describeGatewayGuardrails(() => world);
});
