import { afterAll, beforeAll, describe } from "vitest";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { openSignInFixture, type SignInFixture } from "../../src/console/sign-in-fixture.ts";
import { describeEndedProviderSession } from "./ended-provider-session-suite.ts";
import { describeLoweredRole } from "./lowered-role-suite.ts";
import { describeNarrowed } from "./narrowed-suite.ts";
import { describeWhileOpen } from "./while-open-suite.ts";

const chromiumPath = findChromium();

/** Pages and forms of one person, whose role changes. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "roles at the console", () => {
  let fixture: SignInFixture;

  beforeAll(async () => {
    fixture = await openSignInFixture(chromiumPath ?? "");
  });
  afterAll(async () => await fixture?.stop());

  const opened = () => fixture;
  describeWhileOpen(opened);
  describeLoweredRole(opened);
  describeNarrowed(opened);
  describeEndedProviderSession(opened);
});
