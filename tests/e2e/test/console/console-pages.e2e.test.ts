import { afterAll, beforeAll, describe } from "vitest";
import { type ConsoleFixture, openConsoleFixture } from "../../src/console/console-fixture.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { describeComfort } from "./comfort-suite.ts";
import { describeEveryPage } from "./every-page-suite.ts";
import { describeLook } from "./look-suite.ts";

const chromiumPath = findChromium();

/** Suites that open every page, on one product, which takes longer to start than a page to open. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "pages of the console", () => {
  let fixture: ConsoleFixture;

  beforeAll(async () => {
    fixture = await openConsoleFixture(chromiumPath ?? "");
  });
  afterAll(async () => await fixture?.stop());

  const opened = () => fixture;
  describeEveryPage(opened);
  describeComfort(opened);
  // Last, since it signs out at its end.
  describeLook(opened);
});
