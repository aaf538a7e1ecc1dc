import { afterAll, beforeAll, describe } from "vitest";
import { openFaultyNetworkFixture, type FaultyNetworkFixture } from "../../src/console/faulty-network-fixture.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { describeAway } from "./away-suite.ts";
import { describeKilled } from "./killed-suite.ts";
import { describeSlow } from "./slow-suite.ts";

const chromiumPath = findChromium();

/** Pages and forms of a gateway that is slow, unreachable, and then killed, on one product. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "a gateway out of reach", () => {
  let fixture: FaultyNetworkFixture;

  beforeAll(async () => {
    fixture = await openFaultyNetworkFixture(chromiumPath ?? "");
  });
  afterAll(async () => await fixture?.stop());

  const opened = () => fixture;
  describeSlow(opened);
  describeAway(opened);
  describeKilled(opened);
});
