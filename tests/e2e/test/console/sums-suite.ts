import { beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { McpCaller } from "../../src/mcp-caller.ts";

interface Sums {
  readonly series: readonly { readonly total: { readonly requests: number } }[];
}

/** Calls that the console counts and lists, and their names. */
export function describeSums(opened: () => ConsoleFixture): void {
  describe("sums", () => {
    let fixture: ConsoleFixture;
    const page = () => fixture.visitor.page;
    const { open } = pageTools(page);

    beforeAll(async () => {
      fixture = opened();
      const project = fixture.tools;
      const { token } = await fixture.control.call<{ token: string }>("svc_create_token", {
        project,
        name: "caller",
        scopes: ["mcp"],
      });
      const reply = await new McpCaller(fixture.product, { project, token }).callTool("nothing");
      expect(JSON.stringify(reply)).toContain("Unknown tool: nothing");
    });

    const countRequests = async (more: object) => {
      const hour = 3_600_000;
      const range = { since: new Date(Date.now() - 23 * hour).toISOString(), until: new Date().toISOString() };
      const args = { ...range, bucket: "1h", ...more };
      const { series } = await fixture.control.call<Sums>("svc_query_metrics", args);
      return series[0]?.total.requests ?? 0;
    };

    test("the overview counts only calls of clients, and none of the console", async () => {
      // The last call before this test is counted shortly after its reply.
      await expect.poll(async () => await countRequests({ project: fixture.tools })).toBeGreaterThan(0);
      const clients = await countRequests({ clients_only: true });
      await expect.poll(async () => await countRequests({})).toBeGreaterThan(clients);
      await open("/");
      const tile = page().getByRole("main").getByText("Requests", { exact: true }).first().locator("..");
      await tile.getByText(String(clients), { exact: true }).waitFor();
      expect(await page().getByText("Control Plane").count()).toBe(0);
    });

    test("a closed range of requests is not shown as live", async () => {
      await open("/requests?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z");
      await page().getByText("No requests match these filters. Remove a filter").waitFor();
      const live = page().getByRole("switch", { name: "Live" });
      expect([await live.isChecked(), await live.isDisabled()]).toEqual([false, true]);
      await page()
        .getByRole("button", { name: /^Remove the filter 2026-01-01/ })
        .click();
      await expect.poll(async () => await live.isChecked()).toBe(true);
    });

    test("a period without requests has no latency and no share of cache hits", async () => {
      await open("/?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z");
      await page().getByRole("heading", { name: "No errors" }).waitFor();
      const tile = async (label: string) =>
        await page()
          .locator(".console-panel", { has: page().getByText(label, { exact: true }) })
          .first()
          .innerText();
      expect(await tile("p95")).toMatch(/–\s+of no requests/);
      expect(await tile("Cache hits")).toContain("–");
    });

    test("endpoints are named with their projects, the most expensive of the month first", async () => {
      await open("/?by=endpoint");
      const groups = page().getByRole("table", { name: "Requests by endpoint" });
      await groups.getByRole("link", { name: "Web shop / help", exact: true }).waitFor();
      const names = page().getByRole("table", { name: "Usage by endpoint" }).locator("tbody").getByRole("row");
      await names.first().getByText("Web shop / help").waitFor();
      const costs = await names.evaluateAll((rows) =>
        rows.map((row) => Number(row.querySelector("td:last-child")?.textContent?.replaceAll(/[^\d.]/g, ""))),
      );
      expect(costs).toEqual(costs.toSorted((left, right) => right - left));
      await open(`/?by=endpoint&project=${fixture.shop}`);
      await groups.getByRole("link", { name: "help", exact: true }).waitFor();
    });

    test("an endpoint among many projects is named, each asked for once", async () => {
      const { control, product } = fixture;
      const made: string[] = [];
      const make = async (name: string) => {
        const { uuid } = await control.call<{ uuid: string }>("svc_create_project", {
          name,
          project_type: "ai_gateway",
        });
        made.push(uuid);
        return uuid;
      };
      // More projects than those whose endpoints are read for their names.
      for (let place = 1; place <= 26; place++) await make(`Filler ${place}`);
      const project = await make("The last of many");
      const targets = [{ provider: "mock", model: "mock-large" }];
      await control.call("svc_create_endpoint", { project, slug: "far-away", targets });
      const scopes = ["chat"];
      const { token } = await control.call<{ token: string }>("svc_create_token", { project, name: "far", scopes });
      await fetch(`${product.url}/api/${project}/far-away`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ message: "Hello" }),
      });
      await expect.poll(async () => await countRequests({ project })).toBe(1);
      await open("/?by=endpoint");
      const groups = page().getByRole("table", { name: "Requests by endpoint" });
      await groups.getByRole("link", { name: "The last of many / far-away", exact: true }).waitFor();
      await open("/requests");
      const requests = page().getByRole("table", { name: "Requests" });
      await requests.getByText("The last of many / far-away").waitFor();
      for (const uuid of made) await control.call("svc_delete_project", { project: uuid });
    });

    test("a request shows its project and endpoint, and an error inside a 200 reply is not shown as a success", async () => {
      await open("/requests");
      const requests = page().getByRole("table", { name: "Requests" });
      await requests.getByRole("cell", { name: "Web shop / help", exact: true }).first().waitFor();
      const failed = requests.getByRole("row", { name: /Tools of the team mcp_gateway .*Unknown tool/ }).first();
      expect(await failed.locator("[data-kind]").getAttribute("data-kind")).toBe("warning");
      const answered = requests.getByRole("row", { name: /Web shop \/ help chat_direct mock/ }).first();
      expect(await answered.locator("[data-kind]").getAttribute("data-kind")).toBe("good");
      expect(await requests.getByRole("cell", { name: /^control_mcp|^console_/ }).count()).toBe(0);
      await open(`/requests?project=${fixture.shop}`);
      await requests.getByRole("columnheader", { name: "Endpoint", exact: true }).waitFor();
      await requests.getByRole("cell", { name: "help", exact: true }).first().waitFor();
    });

    const countUsage = async (project: string) => {
      const { endpoints } = await fixture.control.call<{ endpoints: readonly object[] }>("svc_get_usage", { project });
      return endpoints.length;
    };

    test.each([
      ["shop", "chat_direct", "help", true],
      ["tools", "mcp_gateway", "mcp", false],
      ["wrapper", "wrapper_chat", "v1/chat/completions", true],
      ["api", "proxy", "forecast", false],
    ] as const)(
      "a project of any type shows its calls of the last day, and links to them: %s",
      async (kind, route, path, hasUsage) => {
        const project = fixture[kind];
        const { token } = await fixture.control.call<{ token: string }>("svc_create_token", {
          project,
          name: `caller of ${kind}`,
          scopes: ["chat", "mcp", "proxy"],
        });
        const asked = { model: "office", messages: [{ role: "user", content: "Hi" }], variables: { product: "shoes" } };
        const body = { shop: asked, wrapper: asked, tools: { jsonrpc: "2.0", id: 1, method: "ping" }, api: undefined }[
          kind
        ];
        await fetch(`${fixture.product.url}/api/${project}/${path}`, {
          method: kind === "api" ? "GET" : "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        // A call is counted shortly after its reply.
        await expect.poll(async () => await countRequests({ project, clients_only: true })).toBeGreaterThan(0);
        // Chat stores its usage separately, possibly later.
        if (hasUsage) await expect.poll(async () => await countUsage(project)).toBeGreaterThan(0);
        await open(`/projects/${project}`);
        await page()
          .getByText(/^\d+ requests?, .* errors, p95 /)
          .waitFor();
        expect(await page().getByText("Nothing used this month").count()).toBe(0);
        await page().getByRole("link", { name: "View requests" }).click();
        await page().waitForURL(`**/requests?project=${project}`);
        await page().getByRole("cell", { name: route }).first().waitFor();
      },
    );
  });
}
