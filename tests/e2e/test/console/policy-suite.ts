import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { pageTools } from "../../src/console/page-tools.ts";

interface Pattern {
  readonly name: string;
  readonly mode: string;
}

/** Lists of records in a policy: a row of fields for each. */
export function describePolicy(opened: () => ConsoleFixture): void {
  describe("the rows of a policy", () => {
    let fixture: ConsoleFixture;
    const page = () => fixture.visitor.page;
    const { button, open } = pageTools(page);
    const row = (title: string) => page().getByRole("group", { name: title, exact: true });
    const patterns = async () => {
      const policy = await fixture.control.call<{ patterns: readonly Pattern[] }>("svc_get_guardrails", {
        project: fixture.api,
      });
      return policy.patterns.map(({ name, mode }) => `${name}: ${mode}`);
    };
    /** The message may be the previous save's, so the policy is polled until it is as saved. */
    const save = async () => {
      await button("Save policy").click();
      await page().getByText("The policy is saved and applies now.").first().waitFor();
    };

    beforeAll(() => {
      fixture = opened();
    });
    afterEach(() => {
      const complaints = fixture.visitor.takeComplaints();
      expect(complaints.filter((text) => !/\b400\b/.test(text))).toEqual([]);
    });

    test("a pattern is a row, with the gateway's error beside its field", async () => {
      await open(`/projects/${fixture.api}/guardrails`);
      await button("Add pattern").click();
      await row("Pattern 1").getByRole("textbox", { name: "Name" }).fill("Orders");
      await row("Pattern 1").getByRole("textbox", { name: "Pattern" }).fill("ORD-[0-9]{6}");
      await button("Add pattern").click();
      await row("Pattern 2").getByRole("textbox", { name: "Name" }).fill("Tickets");
      await row("Pattern 2").getByRole("textbox", { name: "Pattern" }).fill("TICK-(");
      await row("Pattern 2").getByLabel("Mode").selectOption("log");
      await button("Save policy").click();
      const refused = row("Pattern 2").getByRole("textbox", { name: "Pattern" });
      await row("Pattern 2")
        .getByText(/^Is not valid RE2 syntax: missing closing \)/)
        .waitFor();
      expect(await refused.getAttribute("aria-invalid")).toBe("true");
      expect(await row("Pattern 1").getByText("RE2 syntax:").count()).toBe(0);
      expect(await patterns()).toEqual([]);
      await refused.fill("TICK-[0-9]+");
      await save();
      await expect.poll(patterns).toEqual(["Orders: block", "Tickets: log"]);
    });

    test("rows can be moved and removed, and the focus stays in the list", async () => {
      await open(`/projects/${fixture.api}/guardrails`);
      await button("Move pattern 2 up").click();
      await page().getByText("Pattern 2 is now number 1.").waitFor();
      expect(await row("Pattern 1").getByRole("textbox", { name: "Name" }).inputValue()).toBe("Tickets");
      await save();
      await expect.poll(patterns).toEqual(["Tickets: log", "Orders: block"]);
      await button("Remove pattern 1").click();
      expect(await page().evaluate<string>("document.activeElement.textContent")).toBe("Add pattern");
      await save();
      await expect.poll(patterns).toEqual(["Orders: block"]);
    });

    test("the rows can be edited as JSON, and an invalid one is named", async () => {
      await open(`/projects/${fixture.api}/guardrails`);
      await button("Patterns: edit as JSON").click();
      const json = page().getByRole("textbox", { name: "Patterns" });
      expect(JSON.parse(await json.inputValue())).toMatchObject([{ name: "Orders", pattern: "ORD-[0-9]{6}" }]);
      await json.fill('[{"name": "Empty"}]');
      await button("Save policy").click();
      await page().getByText("Entry 1: Names nothing to look for: send a pattern, a path or a tool.").waitFor();
      await json.fill("[{");
      await page().getByText("Not JSON").waitFor();
      expect(await button("Patterns: edit row by row").isDisabled()).toBe(true);
      await json.fill('[{"name": "Accounts", "path": "$.account", "tool": "pay*"}]');
      await button("Patterns: edit row by row").click();
      expect(await row("Pattern 1").getByRole("textbox", { name: "Only in tool" }).inputValue()).toBe("pay*");
      await save();
      await expect.poll(patterns).toEqual(["Accounts: block"]);
    });

    test("a policy on trial shows the calls that it alone would have blocked", async () => {
      const { control, product, shop, token } = fixture;
      const inForce = { pii: { mode: "mask" }, findings: "excerpts" };
      await control.call("svc_set_guardrails", { project: shop, ...inForce, shadow: { keywords: ["unmentionable"] } });
      const call = async (message: string) => {
        const reply = await fetch(`${product.url}/api/${shop}/summaries`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ message }),
        });
        expect(reply.status).toBe(200);
      };
      await call("It is unmentionable.");
      await call("It is fine.");
      const judged = async () =>
        (await control.call<{ calls: number }>("svc_get_guardrail_comparison", { project: shop })).calls;
      await expect.poll(judged).toBe(2);
      await open(`/projects/${shop}/guardrails`);
      const trial = page().getByRole("region", { name: "Policy on trial" });
      await trial.getByText("1 (50\u202F%)").waitFor();
      await control.call("svc_set_guardrails", { project: shop, ...inForce });
      await open(`/projects/${shop}/guardrails`);
      await page().getByRole("heading", { name: "Policy", exact: true }).waitFor();
      expect(await trial.count()).toBe(0);
    });

    test("rules, guardrails elsewhere and a trial are set in the same form", async () => {
      await open(`/projects/${fixture.api}/guardrails`);
      await button("Add rule").click();
      const rule = row("Rule 1");
      await rule.getByRole("textbox", { name: "Name" }).first().fill("request texts");
      await rule.getByRole("group", { name: "When" }).getByRole("checkbox", { name: "user", exact: true }).check();
      await rule.getByRole("group", { name: "Prompt injection" }).getByLabel("Mode").selectOption("block");
      await button("Add external guardrail").click();
      const external = row("External guardrail 1");
      await external.getByRole("textbox", { name: "Name" }).fill("safety");
      await external.getByLabel("Kind").selectOption("llama_guard");
      await external.getByRole("textbox", { name: "URL" }).fill("http://127.0.0.1:9/v1/chat/completions");
      await external.getByRole("textbox", { name: "Model" }).fill("guard");
      expect(await external.getByRole("textbox", { name: "Language" }).count()).toBe(0);
      await external.getByLabel("Secret", { exact: true }).fill("not-a-secret-1234");
      await button("Set up on trial").click();
      await row("On trial").getByRole("group", { name: "Secrets" }).getByLabel("Mode").selectOption("block");
      await save();
      const policy = await fixture.control.call("svc_get_guardrails", { project: fixture.api });
      expect(policy).toMatchObject({
        rules: [{ name: "request texts", when: { roles: ["user"] }, prompt_injection: { mode: "block" } }],
        external: [{ name: "safety", kind: "llama_guard", model: "guard", secret_kept: true }],
        shadow: { secrets: { mode: "block" } },
      });
      // The stored secret stays with its guardrail when other settings change.
      await open(`/projects/${fixture.api}/guardrails`);
      expect(await page().content()).not.toContain("not-a-secret-1234");
      await row("Rule 1").getByRole("textbox", { name: "Name" }).first().fill("texts of requests");
      await save();
      const changed = await fixture.control.call("svc_get_guardrails", { project: fixture.api });
      expect(changed).toMatchObject({ rules: [{ name: "texts of requests" }], external: [{ secret_kept: true }] });
      await fixture.control.call("svc_set_guardrails", { project: fixture.api, clear: true });
    });
  });
}
