import { beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { pageTools } from "../../src/console/page-tools.ts";

/** Endpoints, tokens and projects are shown by name, with their ids beside. */
export function describeNames(opened: () => ConsoleFixture): void {
  describe("names", () => {
    let fixture: ConsoleFixture;
    const page = () => fixture.visitor.page;
    const { button, choose, dialog, open } = pageTools(page);

    beforeAll(() => {
      fixture = opened();
    });

    test("are in the filters of the log, and in a request", async () => {
      const { endpointId, tokenId, shop } = fixture;
      await open(`/requests?endpoint=${endpointId}&token_id=${tokenId}&live=false`);
      await page().getByRole("button", { name: "Remove the filter Endpoint help", exact: true }).waitFor();
      await page()
        .getByRole("button", { name: `Remove the filter Token Shop front (id ${tokenId})`, exact: true })
        .waitFor();
      await page().getByRole("table", { name: "Requests" }).getByRole("button").first().click();
      await dialog().getByRole("link", { name: "help", exact: true }).waitFor();
      await dialog().getByRole("button", { name: "Copy the endpoint's uuid" }).waitFor();
      await dialog()
        .getByRole("link", { name: `Shop front (id ${tokenId})` })
        .waitFor();
      await open(`/?by=token&project=${shop}`);
      await page()
        .getByRole("link", { name: `Shop front (id ${tokenId})` })
        .waitFor();
    });

    test("choose the endpoint and the token whose requests are shown", async () => {
      const { endpointId, shop, tokenId } = fixture;
      const add = async (name: string) => {
        await button("Filter").click();
        await page().getByRole("menuitem", { name, exact: true }).click();
      };
      await open(`/requests?project=${shop}&live=false`);
      await add("Endpoint");
      await choose("Endpoint", "help");
      await page().getByRole("button", { name: "Remove the filter Endpoint help", exact: true }).waitFor();
      await add("Token");
      await choose("Token", "shop front");
      await page().waitForURL((url) => url.searchParams.get("token_id") === String(tokenId));
      expect(new URL(page().url()).searchParams.get("endpoint")).toBe(endpointId);
      await page().getByRole("table", { name: "Requests" }).getByRole("cell", { name: "help" }).first().waitFor();
    });

    test("are in the findings of a project, with the endpoint's uuid in a tooltip", async () => {
      await open(`/projects/${fixture.shop}/guardrails`);
      const findings = page().getByRole("table", { name: "Findings" });
      const cell = findings.getByText("summaries", { exact: true }).first();
      await cell.waitFor();
      expect(await cell.getAttribute("title")).toMatch(/^[\da-f-]{36}$/);
    });

    test("are shown for the projects of an admin key", async () => {
      const given = { name: "of one project", role: "viewer", projects: [fixture.shop] };
      await fixture.control.call("svc_create_admin_key", given);
      await open("/system");
      const row = page()
        .getByRole("table", { name: "Admin keys" })
        .getByRole("row", { name: /^of one project/ });
      await row.getByText("Web shop", { exact: true }).waitFor();
    });
  });
}
