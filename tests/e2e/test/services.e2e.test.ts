import { findNatsServer, startNatsServer, type TestNatsServer } from "@gatehouse/events/testing";
import { afterAll, beforeAll, describe } from "vitest";
import { startServices } from "../src/product.ts";
import { describeEverySurface, everySuiteEnv } from "./suite/every-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

const program = await findNatsServer();

describe("every service as a process of its own", () => {
  let nats: TestNatsServer | undefined;
  let world: World;
  beforeAll(async () => {
    nats = program === undefined ? undefined : await startNatsServer(program);
    const broker = nats === undefined ? {} : { NATS_URL: nats.url };
    world = await createWorld(async () => await startServices({ env: { ...everySuiteEnv, ...broker } }));
  });
  afterAll(async () => {
    await world.stop();
    await nats?.remove();
  });

  describeEverySurface(() => world, program !== undefined);
});
