import { afterAll, beforeAll, describe } from "vitest";
import { type ConsoleDesk, openDesk } from "../../src/console/console-desk.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { describeComfort } from "./comfort-suite.ts";
import { describeEveryPage } from "./every-page-suite.ts";
import { describeLists } from "./lists-suite.ts";
import { describeLook } from "./look-suite.ts";

const chromiumPath = findChromium();

/** Suites that open every page at one product in use, which is dearer to start than a page is to open. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "pages of the console", () => {
  let desk: ConsoleDesk;

  beforeAll(async () => {
    desk = await openDesk(chromiumPath ?? "");
  });
  afterAll(async () => await desk?.stop());

  const opened = () => desk;
  describeEveryPage(opened);
  describeLists(opened);
  describeComfort(opened);
  // Signs out at its end.
  describeLook(opened);
});
