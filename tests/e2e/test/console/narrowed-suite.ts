import { beforeAll, describe, expect, test } from "vitest";
import type { SignInFixture } from "../../src/console/sign-in-fixture.ts";

/** Bound of the answers and renders of several tabs. */
const answerMs = 20_000;
/** Names in the withdrawn projects. */
const theirs =
  /Web shop|Shop front|Nightly reports|Chat for the office|Weather service|Tools of the team|summaries|Orders/;

const batches = [
  ["overview", "projects", "requests", "audit", "guardrails"].map((name) => ({
    name,
    address: () => `/${name === "overview" ? "?hours=24" : name}`,
  })),
  ["", "/endpoints", "/tokens", "/webhooks", "/guardrails", "/playground", "/settings"].map((path) => ({
    name: `shop${path}`,
    address: ({ shop }: SignInFixture) => `/projects/${shop}${path}`,
  })),
  [
    { name: "webhook", address: ({ shop, webhookId }: SignInFixture) => `/projects/${shop}/webhooks/${webhookId}` },
    { name: "endpoint", address: ({ shop, endpointId }: SignInFixture) => `/projects/${shop}/endpoints/${endpointId}` },
    { name: "token", address: ({ shop, tokenId }: SignInFixture) => `/projects/${shop}/tokens/${tokenId}` },
    { name: "upstreams", address: ({ tools }: SignInFixture) => `/projects/${tools}/upstreams` },
    { name: "connections", address: ({ api }: SignInFixture) => `/projects/${api}/connections` },
  ],
].map((places) => ({ names: places.map(({ name }) => name).join(", "), places }));

/** A page that is open while its user's projects are reduced. */
export function describeNarrowed(opened: () => SignInFixture): void {
  describe("every page after projects are taken away", () => {
    let fixture: SignInFixture;

    beforeAll(() => {
      fixture = opened();
    });

    test.each(batches)(
      "$names: none of their data is left after the next answer",
      async ({ places }) => {
        await fixture.giveRole("owner");
        const open = places.map(async ({ name, address }) => {
          const tab = await fixture.ann.openTab();
          await tab.page.goto(`/console${address(fixture)}`);
          await tab.page.getByText(theirs).first().waitFor({ state: "attached" });
          await tab.page.waitForLoadState("networkidle");
          return { name, tab };
        });
        const tabs = await Promise.all(open);
        await fixture.giveRole("outsider");
        const looks = tabs.map(async ({ name, tab }) => {
          await tab.page.evaluate("void dispatchEvent(new Event('visibilitychange'))");
          const left = async () => ({ name, found: theirs.exec((await tab.page.textContent("body")) ?? "")?.[0] });
          await expect.poll(left, { timeout: answerMs, interval: 250 }).toEqual({ name, found: undefined });
          expect(await tab.page.getByRole("navigation", { name: "Main" }).count()).toBe(1);
          await tab.leave();
        });
        await Promise.all(looks);
      },
      90_000,
    );
  });
}
