import { findNatsServer, startNatsServer, type TestNatsServer } from "@gatehouse/events/testing";
import { afterAll, beforeAll, describe } from "vitest";
import { startServices, startStandalone } from "../src/product.ts";
import { describeLogs } from "./suite/log-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

describe("the logs of the product in one process", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(async () => await startStandalone());
  });
  afterAll(async () => await world.stop());

  describeLogs(() => world);
});

const program = await findNatsServer();

describe.skipIf(program === undefined)("the logs of services that publish over NATS", () => {
  let nats: TestNatsServer;
  let world: World;
  beforeAll(async () => {
    nats = await startNatsServer(program ?? "");
    world = await createWorld(async () => await startServices({ env: { NATS_URL: nats.url } }));
  });
  afterAll(async () => {
    await world.stop();
    await nats.remove();
  });

  describeLogs(() => world);
});
