import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { pageTools } from "../../src/console/page-tools.ts";

/** The first things that a person does with a project: its endpoint, a token, a call as it is pasted, a call that is tried. */
export function describeFirstUse(opened: () => ConsoleFixture): void {
  describe("first use", () => {
    let fixture: ConsoleFixture;
    let echo: Server;
    let project: string;
    const page = () => fixture.visitor.page;
    const { button, field, dialog, open } = pageTools(page);
    const made = async (name: string, type: string) =>
      (await fixture.control.call<{ uuid: string }>("svc_create_project", { name, project_type: type })).uuid;

    beforeAll(async () => {
      fixture = opened();
      echo = createServer((req, res) => {
        res.end(JSON.stringify({ method: req.method, url: req.url }));
        req.resume();
      }).listen(0, "127.0.0.1");
      await once(echo, "listening");
      project = await made("First use", "ai_gateway");
    });
    afterAll(() => void echo?.close());

    test("a form marks its required fields, focuses the first one, and removes the marks once they are filled", async () => {
      await open(`/projects/${project}/endpoints`);
      await button("Create endpoint").click();
      await expect.poll(async () => await field("Slug").evaluate((input) => input.matches(":focus"))).toBe(true);
      await dialog().getByRole("button", { name: "Create endpoint" }).click();
      const required = dialog().getByText("This is required.");
      await expect.poll(async () => await required.count()).toBe(2);
      await button("Add target").click();
      await field("Slug").fill("worded");
      await expect.poll(async () => await required.count()).toBe(0);
      await dialog().getByRole("combobox", { name: "Provider 1" }).fill("mock");
      await field("Model 1").fill("small");
      await field("System prompt").fill("You sell {{product}}.");
      await page().keyboard.press("Tab");
      await dialog().getByRole("button", { name: "Create endpoint" }).click();
      await page().getByRole("link", { name: "worded", exact: true }).waitFor();
    });

    test("a new token's first call is for an endpoint that it may reach, with the variables of its prompt", async () => {
      const targets = [{ provider: "mock", model: "small" }];
      await fixture.control.call("svc_create_endpoint", { project, slug: "another", targets });
      const { token } = await makeToken(async () => {
        await dialog().getByRole("combobox", { name: "Endpoints" }).fill("worded");
        await page().getByRole("option", { name: "worded" }).click();
        await page().keyboard.press("Escape");
      });
      const curl = (await page().getByRole("region", { name: "curl", exact: true }).textContent()) ?? "";
      const [, url = ""] = /curl -s (\S+)/.exec(curl) ?? [];
      const [, body = ""] = /-d '(.*)'$/.exec(curl) ?? [];
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const reply = await fetch(url, { method: "POST", headers, body });
      expect({ status: reply.status, body: await reply.json() }).toMatchObject({ status: 200, body: { ok: true } });
      await page().getByRole("tab", { name: "MCP client" }).click();
      await page().getByText("it lacks the scope mcp").waitFor();
      await button("I have copied it").click();
    });

    async function makeToken(fill: () => Promise<void>): Promise<{ readonly token: string }> {
      await open(`/projects/${project}/tokens`);
      await button("Create token").click();
      await field("Name").fill("app");
      await fill();
      await dialog().getByRole("button", { name: "Create token" }).click();
      return { token: (await page().getByLabel("Token app", { exact: true }).textContent()) ?? "" };
    }

    test("the playground sends a message that the endpoint's input schema accepts", async () => {
      const input_schema = { type: "object", required: ["message"], properties: { message: { minLength: 3 } } };
      const targets = [{ provider: "mock", model: "small" }];
      await fixture.control.call("svc_create_endpoint", { project, slug: "shaped", targets, input_schema });
      await open(`/projects/${project}/playground?endpoint=shaped`);
      await button("Create one for an hour").click();
      await button("Create one for an hour").waitFor({ state: "detached" });
      await field("Message").fill("Good morning");
      await button("Send").click();
      await page().getByText("Echo: Good morning", { exact: true }).waitFor();
    });

    test("the playground shows the reason beside a disabled Send", async () => {
      const targets = [{ provider: "mock", model: "small" }];
      const wrapper = await made("Silent", "ai_wrapper");
      await fixture.control.call("svc_create_endpoint", { project: wrapper, slug: "silent", targets });
      await open(`/projects/${wrapper}/playground`);
      const reason = async () =>
        await button("Send").evaluate(
          (send) => send.ownerDocument.querySelector(`#${send.getAttribute("aria-describedby")}`)?.textContent,
        );
      await expect.poll(reason).toBe("A token of this project is missing. Enter one above.");
      await button("Create one for an hour").click();
      await expect.poll(reason).toBe("The message is empty.");
      await field("Message").fill("Hello");
      await button("Send").click({ trial: true });
      await page().getByText("The message is empty.").waitFor({ state: "detached" });
      await field("Message").fill("");
    });

    test("a request to an API is tested with method, path and query, and a temporary token", async () => {
      const api = await made("First API", "api_gateway");
      const upstream_url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/base`;
      const allowed_methods = ["GET", "HEAD", "PUT"];
      await fixture.control.call("svc_create_endpoint", { project: api, slug: "echo", upstream_url, allowed_methods });
      await open(`/projects/${api}/endpoints`);
      await button("Try it").click();
      await button("Create one for an hour").click();
      await button("Create one for an hour").waitFor({ state: "detached" });
      await dialog().getByLabel("Method").selectOption("PUT");
      await field("Path and query").fill("items/7?size=2");
      await field("Body").fill('{"size": 2}');
      await button("Send").click();
      const reply = dialog().getByLabel("Reply", { exact: true });
      await reply.getByText('"method": "PUT"').waitFor();
      expect(await reply.textContent()).toContain('"url": "/base/items/7?size=2"');
      await dialog().getByLabel("Method").selectOption("HEAD");
      await button("Send").click();
      await dialog().getByText("The reply has no body.").waitFor();
    });

    test("an upstream is checked when it is added, and when it is opened without a known state", async () => {
      const mcp = await made("First tools", "mcp_gateway");
      const { url } = fixture.upstream;
      await open(`/projects/${mcp}/upstreams`);
      await button("Add upstream").click();
      await field("Prefix").fill("added");
      await field("URL").fill(url);
      await dialog().getByRole("button", { name: "Add upstream" }).click();
      await page()
        .getByRole("row", { name: /^added .*Reachable 2/ })
        .waitFor();
      await fixture.control.call("svc_create_upstream", { project: mcp, prefix: "silent", url: "http://127.0.0.1:9/" });
      await open(`/projects/${mcp}/upstreams`);
      await page()
        .getByRole("row", { name: /^silent .*Not checked yet/ })
        .waitFor();
      await page().getByRole("link", { name: "silent", exact: true }).click();
      await dialog().getByText("down", { exact: true }).waitFor();
    });

    test("rows of the audit log stay low beside a long name, with visible details", async () => {
      const long = await made(`Long ${"x".repeat(190)}`, "ai_gateway");
      await fixture.control.call("svc_update_project", { project: long, rate_limit_per_minute: 5 });
      await page().setViewportSize({ width: 1_440, height: 900 });
      await open("/audit");
      const row = page()
        .getByRole("row", { name: /project\.updated .*Long x+/ })
        .first();
      await row.waitFor();
      const { height = 0 } = (await row.boundingBox()) ?? {};
      expect(height).toBeLessThan(100);
      const { width = 0 } = (await row.locator(".console-lines").boundingBox()) ?? {};
      expect(width).toBeGreaterThan(200);
    });

    test("the tabs of a project scroll sideways on a phone, and not downwards", async () => {
      await page().setViewportSize({ width: 360, height: 740 });
      await open(`/projects/${project}`);
      const tabs = page().getByRole("navigation", { name: "Parts of the project" });
      await expect.poll(async () => await tabs.evaluate((nav) => nav.scrollWidth > nav.clientWidth)).toBe(true);
      expect(await tabs.evaluate((nav) => nav.ownerDocument.defaultView?.getComputedStyle(nav).overflowY)).toBe(
        "hidden",
      );
      await page().setViewportSize({ width: 1_360, height: 860 });
    });
  });
}
