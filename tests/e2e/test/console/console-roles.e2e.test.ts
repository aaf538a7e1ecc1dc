import { afterAll, beforeAll, describe } from "vitest";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { openSignInDesk, type SignInDesk } from "../../src/console/sign-in-desk.ts";
import { describeLoweredRole } from "./lowered-role-suite.ts";
import { describeWhileOpen } from "./while-open-suite.ts";

const chromiumPath = findChromium();

/** Pages and forms of one person, whose role changes. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "roles at the console", () => {
  let desk: SignInDesk;

  beforeAll(async () => {
    desk = await openSignInDesk(chromiumPath ?? "");
  });
  afterAll(async () => await desk?.stop());

  const opened = () => desk;
  describeWhileOpen(opened);
  describeLoweredRole(opened);
});
