import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleFixture, openConsoleFixture } from "../../src/console/console-fixture.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { interceptCalls } from "../../src/console/intercepted-calls.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { describeEndedSession } from "./ended-session-suite.ts";
import { describeFocusKept } from "./focus-kept-suite.ts";
import { describeKeyboard } from "./keyboard-suite.ts";

const chromiumPath = findChromium();
const question = "Leave this page?";

/** Unsaved input, and the focus of keyboard users. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "nothing is lost", () => {
  let fixture: ConsoleFixture;
  const page = () => fixture.visitor.page;
  const { button, field, dialog, choose, open } = pageTools(page);

  beforeAll(async () => {
    fixture = await openConsoleFixture(chromiumPath ?? "");
    // A page left with unsaved input by a load shows the browser's own question.
    page().on("dialog", (asked) => void asked.accept());
  });
  afterAll(async () => await fixture?.stop());
  afterEach(() => {
    // The browser reports that the page has asked.
    expect(fixture.visitor.takeComplaints().filter((text) => !text.includes("beforeunload"))).toEqual([]);
  });

  /** Leaves by a link, cancels, and leaves after all. */
  async function expectAsked(kept: () => Promise<void>): Promise<void> {
    const leave = async () => await page().getByRole("link", { name: "Audit", exact: true }).click();
    const asked = page().getByRole("dialog", { name: question });
    await leave();
    await asked.waitFor();
    await page().keyboard.press("Escape");
    await asked.waitFor({ state: "detached" });
    await kept();
    await leave();
    await asked.getByRole("button", { name: "Leave" }).click();
    await page().getByRole("heading", { name: "Audit", level: 1 }).waitFor();
  }

  const texts: readonly (readonly [name: string, address: () => string, label: string])[] = [
    ["a message of the playground", () => `/projects/${fixture.shop}/playground`, "Message"],
    ["a text to try a policy on", () => `/projects/${fixture.shop}/guardrails`, "Text"],
    ["a number of a policy", () => `/projects/${fixture.shop}/guardrails`, "Max content length"],
    ["a document to apply", () => "/system", "Document"],
  ];

  test.each(texts)("%s asks before it is left", async (_name, address, label) => {
    await open(address());
    await field(label).fill("4000");
    await expectAsked(async () => expect(await field(label).inputValue()).toBe("4000"));
  });

  test("a tested text can be left without a question, and a message is kept when the endpoint changes", async () => {
    await open(`/projects/${fixture.shop}/guardrails`);
    await field("Text").fill("Write to jane@example.com.");
    await button("Check the text").click();
    await page().getByText("Allowed").waitFor();
    await page().getByRole("link", { name: "Playground", exact: true }).click();
    await field("Message").fill("Which one is better?");
    await choose("Endpoint", "summaries");
    await page().getByRole("region", { name: "Conversation with summaries" }).waitFor();
    expect(await field("Message").inputValue()).toBe("Which one is better?");
    await field("Message").fill("");
    await page().getByRole("link", { name: "Tokens", exact: true }).click();
    await page().getByRole("table", { name: "Tokens", exact: true }).waitFor();
  });

  test("the body of a test call asks before its drawer closes", async () => {
    await open(`/projects/${fixture.shop}/endpoints`);
    await button("Try it").first().click();
    await field("Body").fill('{"message": "Mine"}');
    await page().keyboard.press("Escape");
    const asked = page().getByRole("dialog", { name: "Discard the form?" });
    await asked.waitFor();
    // The question alone handles the key; the drawer below does not close.
    await page().keyboard.press("Escape");
    await asked.waitFor({ state: "detached" });
    expect(await field("Body").inputValue()).toBe('{"message": "Mine"}');
    await page().keyboard.press("Escape");
    await asked.getByRole("button", { name: "Discard" }).click();
    await dialog().waitFor({ state: "detached" });
  });

  test("a sample for a schema asks before its form closes", async () => {
    const { control } = fixture;
    const project = { name: "With a schema", project_type: "ai_gateway" };
    const { uuid } = await control.call<{ uuid: string }>("svc_create_project", project);
    const targets = [{ provider: "mock", model: "mock-small" }];
    const input_schema = { type: "object", properties: { city: { type: "string" } } };
    await control.call("svc_create_endpoint", { project: uuid, slug: "shaped", targets, input_schema });
    await open(`/projects/${uuid}/endpoints`);
    await button("Edit").first().click();
    await button("Try a sample").click();
    await field("Sample for input schema").fill('{"city": 1}');
    await page().keyboard.press("Escape");
    await page().getByRole("dialog", { name: "Discard the form?" }).getByRole("button", { name: "Discard" }).click();
    await dialog().waitFor({ state: "detached" });
  });

  test("a half-typed form of one tool asks before another tool's form replaces it", async () => {
    await open(`/projects/${fixture.tools}/upstreams`);
    await page().getByRole("link", { name: "up", exact: true }).click();
    await button("List tools again").click();
    await button("Call repeat").click();
    const asked = page().getByRole("dialog", { name: "Discard the form?" });
    const formOf = (tool: string) => page().getByRole("region", { name: `Call up__${tool}` });
    await formOf("repeat").waitFor();
    // Nothing is typed yet.
    await button("Call shout").click();
    await formOf("shout").waitFor();
    await button("Call repeat").click();
    await field("Text").fill("Half typed");
    await button("Call shout").click();
    await asked.waitFor();
    await page().keyboard.press("Escape");
    await asked.waitFor({ state: "detached" });
    expect(await field("Text").inputValue()).toBe("Half typed");
    // Choosing the same tool keeps its form.
    await button("Call repeat").click();
    expect(await field("Text").inputValue()).toBe("Half typed");
    await button("Call shout").click();
    await asked.getByRole("button", { name: "Discard" }).click();
    await formOf("shout").waitFor();
    expect(await field("Text").inputValue()).toBe("");
    await page().keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
  });

  test("a partly applied document shows each change's outcome, and stays", async () => {
    await open("/system");
    const names = ["Half one", "Half two"];
    const projects = names.map((name) => ({ name, project_type: "ai_gateway" }));
    await field("Document").fill(JSON.stringify({ version: 1, projects }));
    await button("Show the plan").click();
    await page().getByText("2 changes would be made.").waitFor();
    {
      await using _calls = await interceptCalls(page(), "*/control/mcp", async (call) => {
        const { name } = call.body["params"] as { readonly name?: string };
        if (name !== "svc_apply_config") return await call.pass();
        return await call.change(halfWay);
      });
      await button("Apply these changes").click();
      await page().getByText("1 change was made.").waitFor();
    }
    await page().getByRole("alert").filter({ hasText: "The owner of projects does not answer." }).waitFor();
    for (const outcome of ["Made", "Not known"]) await page().getByText(outcome, { exact: true }).waitFor();
    expect(await button("Apply these changes").isDisabled()).toBe(true);
    // The plan of the remaining changes replaces the result: here the gateway has made both.
    await button("Show the plan").click();
    await page().getByText("Nothing to change").waitFor();
    expect(await page().getByText("Not known", { exact: true }).count()).toBe(0);
    await expectAsked(async () => expect(await field("Document").inputValue()).toContain("Half two"));
  });

  describeEndedSession(() => fixture);
  describeFocusKept(() => fixture);
  describeKeyboard(() => fixture);
});

interface Applied {
  readonly result: { readonly structuredContent: { readonly changes: readonly object[] } };
}

/** Simulates an owner's reply that was lost at the second change. */
function halfWay(reply: unknown): unknown {
  const { result, ...envelope } = reply as Applied;
  const { structuredContent } = result;
  const [first, second] = structuredContent.changes;
  return {
    ...envelope,
    result: {
      structuredContent: {
        ...structuredContent,
        applied: 1,
        failed: { message: "The owner of projects does not answer." },
        changes: [
          { ...first, outcome: "made" },
          { ...second, outcome: "unknown" },
        ],
      },
    },
  };
}
