import { afterAll, beforeAll, describe } from "vitest";
import { startStandalone } from "../src/product.ts";
import { describeEverySurface, everySuiteEnv } from "./suite/every-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

describe("one process", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(async () => await startStandalone({ env: everySuiteEnv }));
  });
  afterAll(async () => await world.stop());

  describeEverySurface(() => world);
});
