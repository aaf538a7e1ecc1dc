import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { pageTools } from "../../src/console/page-tools.ts";

/** Pause between two keys, in which fields could reformat the input. */
const keyDelayMs = 20;

interface ReadEndpoint {
  readonly max_request_tokens: number | null;
  readonly monthly_budget_usd: number | null;
  readonly timeout_ms: number | null;
  readonly parameters: unknown;
  readonly targets: readonly { readonly input_price_per_million?: number }[];
}

/** Input typed key by key: sent as typed, or refused beside its field. */
export function describeTyping(opened: () => ConsoleFixture): void {
  describe("typed input", () => {
    let fixture: ConsoleFixture;
    let endpoint: string;
    const page = () => fixture.visitor.page;
    const { button, field, dialog, open } = pageTools(page);
    const input = (label: string) => dialog().getByLabel(label, { exact: true });
    const press = async (label: string, text: string) => {
      // A collapsed field is not focusable.
      await input(label).waitFor();
      await input(label).focus();
      await page().keyboard.press("Control+a");
      await page().keyboard.press("Backspace");
      await page().keyboard.type(text, { delay: keyDelayMs });
    };
    const paste = async (label: string, text: string) => {
      await input(label).waitFor();
      await input(label).focus();
      await page().keyboard.press("Control+a");
      await page().keyboard.insertText(text);
    };
    const submit = async (label: string) => await dialog().getByRole("button", { name: label, exact: true }).click();
    /** Opens the numbers of the first target, unless it has some and they are open. */
    const openNumbers = async () => {
      const opener = button("Prices and retries of target 1");
      if ((await opener.getAttribute("aria-expanded")) === "false") await opener.click();
    };
    const read = async () => await fixture.control.call<ReadEndpoint>("svc_get_endpoint", { endpoint });
    const edit = async () => {
      await open(`/projects/${fixture.shop}/endpoints/${endpoint}`);
      await button("Edit").click();
      await dialog().locator("form").waitFor();
    };

    beforeAll(async () => {
      fixture = opened();
      const limits = { max_request_tokens: 100, timeout_ms: 5_000, monthly_budget_usd: 7 };
      const targets = [{ provider: "mock", model: "m" }];
      const given = { project: fixture.shop, slug: "typed", targets, ...limits };
      endpoint = (await fixture.control.call<{ uuid: string }>("svc_create_endpoint", given)).uuid;
    });
    afterEach(() => {
      expect(fixture.visitor.takeComplaints()).toEqual([]);
    });

    test("a number is sent as it is written in its field", async () => {
      await edit();
      await press("Monthly budget (US$)", "2.50");
      await press("Max request tokens", "12 500");
      await press("Timeout (ms)", "1e3");
      await openNumbers();
      expect(await input("Input price").getAttribute("aria-describedby")).toBeTruthy();
      await dialog().getByText("US$ per million tokens").first().waitFor();
      await press("Input price", "0.000001");
      expect(await input("Monthly budget (US$)").inputValue()).toBe("2.50");
      await submit("Save");
      await dialog().waitFor({ state: "detached" });
      expect(await read()).toMatchObject({
        monthly_budget_usd: 2.5,
        max_request_tokens: 12_500,
        timeout_ms: 1_000,
        targets: [{ input_price_per_million: 0.000_001 }],
      });
    });

    test("an invalid number, one out of bounds or one that would be rounded has an error beside its field, and changes nothing", async () => {
      const before = await read();
      await edit();
      await openNumbers();
      const refused = [
        ["Max request tokens", press, "9007199254740993", /^This must be at least 1 and at most/],
        ["Max request tokens", press, "99999999999", /^This must be at least 1 and at most/],
        ["Max request tokens", press, "1.5", "This must be a whole number."],
        ["Monthly budget (US$)", press, "1,5", /^Write a decimal point as a point/],
        ["Monthly budget (US$)", paste, "1.234,56", /^Write a decimal point as a point/],
        ["Monthly budget (US$)", press, "-1", /^This must be at least 0 and at most/],
        ["Monthly budget (US$)", paste, "abc", "This is not a number."],
        ["Monthly budget (US$)", press, "0.1000000000000000055", /cannot be kept exactly: it would become 0\.1\.$/],
        ["Timeout (ms)", press, "0", /^This must be at least/],
        ["Input price", press, "1e400", /^This must be at least 0 and at most/],
      ] as const;
      for (const [label, enter, text, words] of refused) {
        const stood = await input(label).inputValue();
        await enter(label, text);
        await page().keyboard.press("Enter");
        await dialog().getByText(words).waitFor();
        const shown = {
          text: await input(label).inputValue(),
          isInvalid: await input(label).getAttribute("aria-invalid"),
        };
        expect({ label, ...shown }).toEqual({ label, text, isInvalid: "true" });
        await press(label, stood);
        await dialog().getByText(words).waitFor({ state: "detached" });
      }
      expect(await read()).toEqual(before);
    });

    test("a missing list of targets is reported beside the field, which has the focus", async () => {
      await open(`/projects/${fixture.shop}/endpoints`);
      await button("Create endpoint").click();
      await field("Slug").fill("aimless");
      await submit("Create endpoint");
      await dialog().getByText("This is required.").waitFor();
      await expect.poll(async () => await page().evaluate("document.activeElement.textContent")).toBe("Add target");
      await dialog().getByRole("button", { name: "Cancel" }).click();
      await button("Discard").click();
    });

    test("a duplicate member of JSON, and a number that would be rounded, are refused with their path", async () => {
      await edit();
      await press("Parameters", '{"a":{"b":1,"b":2}}');
      await dialog().getByText("a.b is given twice.").waitFor();
      await submit("Save");
      await press("Parameters", '{"seed":[12345678901234567890]}');
      await dialog()
        .getByText(/^seed\[0\]: 12345678901234567890 cannot be kept exactly/)
        .waitFor();
      await submit("Save");
      await press("Parameters", '{"temperature":0.50}');
      await submit("Save");
      await dialog().waitFor({ state: "detached" });
      expect((await read()).parameters).toEqual({ temperature: 0.5 });
    });

    test("an incomplete expiry, and one in the past, are refused beside the field", async () => {
      const { shop, control } = fixture;
      const names = async () => {
        const { tokens } = await control.call<{ tokens: readonly { name: string; expires_at: string | null }[] }>(
          "svc_list_tokens",
          { project: shop },
        );
        return tokens.filter(({ name }) => name === "half").map((token) => token.expires_at);
      };
      await open(`/projects/${shop}/tokens`);
      await button("Create token").click();
      await field("Name").pressSequentially("half");
      // Types the day without a time, then presses Enter before leaving the field.
      await input("Expires at").focus();
      await page().keyboard.type("12252027");
      await page().keyboard.press("Enter");
      await dialog().getByText("Complete the date and the time, or clear both.").waitFor();
      expect(await input("Expires at").getAttribute("aria-invalid")).toBe("true");
      await submit("Create token");
      await input("Expires at").focus();
      await page().keyboard.type("12252020\t1000AM");
      await submit("Create token");
      await dialog().getByText("This moment has passed. Choose a later one.").waitFor();
      expect(await names()).toEqual([]);
      await input("Expires at").focus();
      await page().keyboard.type("12252099\t1000AM");
      await submit("Create token");
      await page().getByLabel("Token half", { exact: true }).waitFor();
      expect(await names()).toEqual([new Date("2099-12-25T10:00").toISOString()]);
      await button("I have copied it").click();
    });

    test("an expiry with a year of more than four digits is refused, or saved as an expiry", async () => {
      await open("/system");
      await button("Create admin key").click();
      await field("Name").pressSequentially("late");
      await input("Expires at").focus();
      await page().keyboard.type("1225275760\t1000AM");
      await submit("Create admin key");
      await dialog().locator('[aria-invalid="true"]').or(page().getByText("Admin key late")).first().waitFor();
      const { admin_keys: keys } = await fixture.control.call<{
        admin_keys: readonly { readonly name: string; readonly expires_at: string | null }[];
      }>("svc_list_admin_keys");
      const [late] = keys.filter(({ name }) => name === "late");
      expect(late === undefined || late.expires_at !== null).toBe(true);
    });

    test.for([
      ["  two  spaces ", "two spaces"],
      ["caf\u0065\u0301\u00AD", "café"],
      ["\u200B", "[U+200B]"],
    ])("an object named %j is deleted by typing the shown text", async ([name = "", typed = ""], { expect }) => {
      const given = { name, project_type: "ai_gateway" };
      const { uuid } = await fixture.control.call<{ uuid: string }>("svc_create_project", given);
      await open(`/projects/${uuid}/settings`);
      await button("Delete project").click();
      const confirm = dialog().getByRole("button", { name: "Delete project" });
      await confirm.waitFor();
      const spaces = await page().evaluate("getComputedStyle(document.querySelector('[role=dialog] code')).whiteSpace");
      expect(spaces).toMatch(/^(?:pre|break-spaces)/);
      await dialog().getByRole("textbox").pressSequentially(typed.slice(0, -1));
      expect(await confirm.isDisabled()).toBe(true);
      await dialog().getByRole("textbox").pressSequentially(typed.slice(-1));
      await confirm.click();
      await page().waitForURL("**/console/projects");
    });

    test("an upstream's tool is called with values of the types in its schema", async () => {
      await open(`/projects/${fixture.tools}/upstreams`);
      await page().getByRole("link", { name: "up", exact: true }).click();
      await button("List tools again").click();
      await button("Call repeat").click();
      await button("Create one for an hour").click();
      await button("Create one for an hour").waitFor({ state: "detached" });
      await field("Text").pressSequentially("a  b");
      await page().getByLabel("Level", { exact: true }).selectOption({ label: "2" });
      await field("Extra").pressSequentially("null");
      await field("Share").pressSequentially("0");
      await page().getByRole("combobox", { name: "Pages" }).or(field("Pages")).pressSequentially("5,12,");
      const spaces = await page().evaluate(
        "getComputedStyle(document.querySelector('.mantine-Pill-label')).whiteSpace",
      );
      expect(spaces).toBe("pre");
      await button("Call the tool").click();
      await page().getByText("This must be more than 0 and at most 1.").waitFor();
      await field("Share").pressSequentially(".50");
      await button("Call the tool").click();
      const result = page().getByLabel("Result", { exact: true });
      await result.waitFor();
      const { content } = JSON.parse((await result.textContent()) ?? "{}") as { content: readonly { text: string }[] };
      expect(content[0]?.text).toBe('Said: a  b with {"level":2,"extra":null,"share":0.5,"pages":[5,12]}');
    });

    test("invalid tools prevent a call instead of being left out", async () => {
      await open(`/projects/${fixture.wrapper}/playground`);
      await button("Create one for an hour").click();
      await button("Create one for an hour").waitFor({ state: "detached" });
      await field("Message").pressSequentially("Hello");
      await page().getByLabel("Tools", { exact: true }).first().click();
      const tools = page().getByRole("textbox", { name: "Tools" });
      await tools.pressSequentially('[{"type":"function"');
      expect(await button("Send").isDisabled()).toBe(true);
      await page().keyboard.press("Control+a");
      await tools.pressSequentially("{}");
      await page().getByText("This must be a list.").waitFor();
      expect(await button("Send").isDisabled()).toBe(true);
      await page().keyboard.press("Control+a");
      await page().keyboard.press("Delete");
      expect(await button("Send").isDisabled()).toBe(false);
    });
  });
}
