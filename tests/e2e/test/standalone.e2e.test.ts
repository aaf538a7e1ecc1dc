import { afterAll, beforeAll, describe } from "vitest";
import { allowLoopback } from "../src/contract/contract-world.ts";
import { startStandalone } from "../src/product.ts";
import { describeEverySurface } from "./suite/every-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

describe("one process", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(async () => await startStandalone({ env: allowLoopback }));
  });
  afterAll(async () => await world.stop());

  describeEverySurface(() => world);
});
