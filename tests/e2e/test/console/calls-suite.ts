import { readFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { uniqueName } from "../../src/control-plane-client.ts";
import { answerWith, ScriptedProvider } from "../../src/scripted-provider.ts";

const usage = { prompt_tokens: 2_000, completion_tokens: 10, total_tokens: 2_010 };
/** Entries that a live list reads. */
const rowsOfLiveList = 100;
const pipelinePage = new URL("../../../../docs/pipeline.md", import.meta.url);

/** Model calls at the console: choice of a target, timing of each step, and tokens from providers' caches. */
export function describeCalls(opened: () => ConsoleFixture): void {
  describe("calls", () => {
    let fixture: ConsoleFixture;
    let provider: ScriptedProvider;
    let project: string;
    const page = () => fixture.visitor.page;
    const { button, field, open } = pageTools(page);
    const side = (name: string) => page().getByRole("region", { name: `Conversation with ${name}`, exact: true });

    beforeAll(async () => {
      fixture = opened();
      provider = await ScriptedProvider.start();
      const message = { role: "assistant", content: "Cached." };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      const cached = { ...usage, prompt_tokens_details: { cached_tokens: 500 } };
      provider.play(
        answerWith({ id: "c", object: "chat.completion", created: 1, model: "second", choices, usage: cached }),
      );
      const { control } = fixture;
      const provided = { name: "caching", kind: "openai-compatible", base_url: provider.baseUrl };
      await control.call("svc_create_provider", provided);
      const given = { name: "Two targets", project_type: "ai_gateway" };
      project = (await control.call<{ uuid: string }>("svc_create_project", given)).uuid;
      const targets = [
        { provider: "mock", model: "first" },
        { provider: "caching", model: "second" },
      ];
      await control.call("svc_create_endpoint", {
        project,
        slug: "pair",
        targets,
        system_prompt: "You sell {{product}}.",
      });
      const tester = { project, name: "tester", environment: "test", scopes: ["chat"] };
      const { token } = await control.call<{ token: string }>("svc_create_token", tester);
      const called = await fetch(`${fixture.product.url}/api/${project}/pair`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "x-gatehouse-target": "2" },
        body: JSON.stringify({ message: "Which of you?", variables: { product: "boots" } }),
      });
      expect(called.status).toBe(200);
    });
    afterAll(async () => await provider?.stop());

    test("Escape stops a call from any focus, and the next message can be typed during an answer", async () => {
      const talk = await openStreaming();
      await field("Message").fill("[[mock pace=200 length=100]] slow");
      await button("Send").click();
      await talk
        .getByText(/^Echo: slow/)
        .first()
        .waitFor();
      await page().keyboard.press("Escape");
      await talk.getByText("Stopped").waitFor();
      await field("Message").fill("[[mock pace=200 length=10]] quick");
      await button("Send").click();
      await talk
        .getByText(/^Echo: quick/)
        .first()
        .waitFor();
      await field("Message").fill("the next one");
      await talk.getByText("1 attempt").waitFor();
      await button("Send").waitFor();
      expect(await field("Message").inputValue()).toBe("the next one");
    });

    test("an answer whose stream is cut is not shown as complete", async () => {
      const talk = await openStreaming();
      const body = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Half of" } }] })}\n\n`;
      await page().route("**/api/**", async (route) => await route.fulfill({ contentType: "text/event-stream", body }));
      await field("Message").fill("Say all of it");
      await button("Send").click();
      await talk.getByText("was lost in the middle of the answer").waitFor();
      await talk.getByText("Half of").waitFor();
      expect(await field("Message").inputValue()).toBe("Say all of it");
      await page().unrouteAll({ behavior: "wait" });
    });

    /** The playground of a project with one streaming endpoint. */
    async function openStreaming(): Promise<Locator> {
      const { control } = fixture;
      const given = { name: uniqueName("Streams"), project_type: "ai_gateway" };
      const { uuid } = await control.call<{ uuid: string }>("svc_create_project", given);
      const targets = [{ provider: "mock", model: "first" }];
      await control.call("svc_create_endpoint", { project: uuid, slug: "flow", targets, streaming_enabled: true });
      await open(`/projects/${uuid}/playground`);
      await button("Create one for an hour").click();
      await button("Create one for an hour").waitFor({ state: "detached" });
      return side("flow");
    }

    test("the playground compares two targets of an endpoint side by side, and their positions are in the URL", async () => {
      await open(`/projects/${project}/playground`);
      await button("Create one for an hour").click();
      await button("Create one for an hour").waitFor({ state: "detached" });
      const before = provider.received.length;
      await field("product").fill("shoes");
      await field("Message").fill("Which of you?");
      await button("Compare").click();
      await page().waitForURL(/target=1.*beside_target=2/);
      const second = side("pair, target 2");
      expect(await second.getByRole("textbox", { name: "Message" }).inputValue()).toBe("Which of you?");
      expect(await second.getByRole("textbox", { name: "product" }).inputValue()).toBe("shoes");
      await second.getByRole("button", { name: "Send both" }).click();
      for (const [name, answer, model] of [
        ["pair, target 1", "Echo: Which of you?", "mock/first"],
        ["pair, target 2", "Cached.", "caching/second"],
      ] as const) {
        await side(name).getByText(answer, { exact: true }).waitFor();
        await side(name).getByText(model, { exact: true }).waitFor();
        await side(name).getByText("1 attempt").waitFor();
      }
      await expect.poll(async () => await second.getByRole("textbox", { name: "Message" }).inputValue()).toBe("");
      expect(provider.received).toHaveLength(before + 1);
      await side("pair, target 2").getByRole("button", { name: "Show as code" }).click();
      const code = side("pair, target 2").getByLabel("The call as curl", { exact: true });
      expect(await code.textContent()).toContain("-H 'X-Gatehouse-Target: 2'");
      await side("pair, target 2").getByLabel("Target").selectOption("1: mock/first");
      await page().waitForURL(/beside_target=1/);
      await side("pair, target 1").nth(1).getByText("Cached.", { exact: true }).waitFor();
    });

    test("a live token may not choose a target, and the playground shows the refusal", async () => {
      const given = { project, name: "live", scopes: ["chat"] };
      const { token } = await fixture.control.call<{ token: string }>("svc_create_token", given);
      await open(`/projects/${project}/playground?target=2`);
      await field("Token of this project").fill(token);
      await field("Message").fill("Hello");
      await button("Send").click();
      await page().getByText("X-Gatehouse-Target may be sent with a token of the environment test only.").waitFor();
      // Chromium reports the 400.
      expect(fixture.visitor.takeComplaints().filter((text) => !text.includes("400"))).toEqual([]);
    });

    test("the trail of a call has every step of the pipeline in order, quick ones included", async () => {
      await open(`/requests?project=${project}&provider=caching`);
      await page().getByRole("table", { name: "Requests" }).getByRole("button").first().click();
      const dialog = page().getByRole("dialog", { name: "Request" });
      await dialog.getByText("under 1 ms each").first().waitFor();
      const shown = await dialog
        .locator("[data-step]")
        .evaluateAll((all) => all.map((each) => each.getAttribute("data-step")));
      const documented = (await readFile(pipelinePage, "utf8")).matchAll(/^\| \d+ \| `(\w+)` \|/gm);
      const steps = [...documented].map(([, name]) => name).filter((name) => name !== "log");
      expect(shown).toEqual([...steps, "reply"]);
    });

    /** Makes more calls than a live list shows, all refused. */
    const fillLiveList = async () => {
      const crowd = { project, name: uniqueName("crowd"), scopes: ["chat"] };
      const { token } = await fixture.control.call<{ token: string }>("svc_create_token", crowd);
      const url = `${fixture.product.url}/api/${project}/missing`;
      const call = async () => await fetch(url, { method: "POST", headers: { authorization: `Bearer ${token}` } });
      await Promise.all(Array.from({ length: rowsOfLiveList + 1 }, call));
    };

    test("an opened request stays open while newer ones replace it in the live list, and its link opens it later", async () => {
      await open(`/requests?project=${project}`);
      await page().getByRole("table", { name: "Requests" }).getByRole("button").last().click();
      const id = await page().getByRole("dialog", { name: "Request" }).getByText(/^req-/).textContent();
      await fillLiveList();
      await page().getByText(`${rowsOfLiveList} shown; there are older ones`).waitFor();
      // The list shows none but newer requests.
      await expect
        .poll(async () => {
          const oldest = await fixture.control.call<{ entries: readonly { request_id: string }[] }>(
            "svc_query_gateway_log",
            { project, limit: rowsOfLiveList },
          );
          return oldest.entries.every((entry) => entry.request_id !== id);
        })
        .toBe(true);
      await fixture.visitor.settle();
      const shown = page().getByRole("dialog", { name: "Request" });
      await shown.getByText(id ?? "").waitFor();
      await page().reload();
      await shown.getByText(id ?? "").waitFor();
      await page().keyboard.press("Escape");
      await shown.waitFor({ state: "detached" });
      expect(page().url()).not.toContain("entry");
    });

    test("a list longer than the window shows in view that the gateway does not answer", async () => {
      await fillLiveList();
      await open(`/requests?project=${project}`);
      await page().getByText(`${rowsOfLiveList} shown; there are older ones`).waitFor();
      await page().route("**/control/mcp", async (route) => await route.abort());
      const [age, message] = [page().getByText(/^As of /), page().getByText("The gateway is not responding.").first()];
      for (const part of [age, message]) {
        await part.waitFor();
        const { y = Number.NaN, height = 0 } = (await part.boundingBox()) ?? {};
        expect(y).toBeGreaterThan(0);
        expect(y + height).toBeLessThan(page().viewportSize()?.height ?? 0);
      }
      await page().unrouteAll({ behavior: "wait" });
      await age.waitFor({ state: "detached" });
      fixture.visitor.takeComplaints();
    });

    test("a link to an entry that the log does not have says so", async () => {
      const moment = "2026-01-01T00:00:00.000Z";
      for (const log of ["requests", "audit"]) {
        await open(`/${log}?entry=999999999&at=${moment}`);
        await page().getByText("The log does not have the entry of this link").waitFor();
      }
    });

    test("the overview's share of cache hits is that of prompt tokens read from providers' caches", async () => {
      const sums = async () => {
        const { series } = await fixture.control.call<{ series: readonly { readonly total: Sums }[] }>(
          "svc_query_metrics",
          {
            project,
            since: new Date(Date.now() - 3_600_000).toISOString(),
            until: new Date().toISOString(),
            bucket: "1m",
          },
        );
        return series[0]?.total ?? { prompt_tokens: 0, cached_tokens: 0 };
      };
      // 500 of the 2,000 tokens of each prompt; the mock provider reports none from a cache.
      await expect.poll(async () => (await sums()).cached_tokens).toBe(500 * provider.received.length);
      const { prompt_tokens: prompts, cached_tokens: cached } = await sums();
      await open(`/?project=${project}&hours=1`);
      const tile = page().getByText("Cache hits", { exact: true }).locator("..");
      await tile.getByText(`${Math.round((100 * cached) / prompts)}\u202F%`, { exact: true }).waitFor();
      const shown = String(cached).replace(/\B(?=000$)/, "\u202F");
      await tile.getByText(`${shown} prompt tokens from providers' caches`, { exact: true }).waitFor();
    });
  });
}

interface Sums {
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
}
