import { afterAll, beforeAll, describe } from "vitest";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { openTroubledDesk, type TroubledDesk } from "../../src/console/troubled-desk.ts";
import { describeAway } from "./away-suite.ts";
import { describeSlow } from "./slow-suite.ts";

const chromiumPath = findChromium();

/** Pages and forms of a gateway that is slow, then away, at one product. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "a gateway out of reach", () => {
  let desk: TroubledDesk;

  beforeAll(async () => {
    desk = await openTroubledDesk(chromiumPath ?? "");
  });
  afterAll(async () => await desk?.stop());

  const opened = () => desk;
  describeSlow(opened);
  describeAway(opened);
});
