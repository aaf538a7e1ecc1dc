import { randomBytes } from "node:crypto";
import type { Dialog, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import type { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import { fillRequired } from "../../src/console/fill-required.ts";
import { forms, type Place } from "../../src/console/places.ts";

/** Secret fields of all forms; must be updated when the test below finds more or fewer. */
const secretFields = [
  "API key",
  "Bearer token",
  "Client secret",
  "Refresh token",
  "Secret",
  "Token of this project",
  "Value",
];

/** Forms that {@link forms} does not have. */
const others: readonly Place[] = [
  ["create-api-endpoint", ({ api }) => `/projects/${api}/endpoints`, "Create endpoint"],
];

/** A secret that a person types at the console. */
export function describeSecrets(opened: () => ConsoleFixture): void {
  describe("a typed secret", () => {
    test("is in no URL, no storage of the browser, and no log of the gateway", async () => {
      const fixture = opened();
      const marker = `marker-${randomBytes(12).toString("hex")}`;
      const { name, key } = await makeOwner(fixture);
      await using visitor = await fixture.visitor.openStranger();
      const addresses = addressesOf(visitor.page);
      await visitor.page.goto("/console");
      await visitor.signIn(key);
      const filled = new Set<string>();
      for (const place of [...forms, ...others]) await sendWith({ fixture, visitor, place, marker, filled });
      await sendExternalGuardrail({ fixture, visitor, marker, filled });
      await callWith({ fixture, visitor, marker, filled });
      expect([...filled].toSorted()).toEqual(secretFields);
      const secrets = [marker, key];
      expect(holding(await storedBy(visitor.page), secrets)).toEqual([]);
      expect(holding(addresses, secrets)).toEqual([]);
      expect(holding([fixture.product.output()], secrets)).toEqual([]);
      // Waits until the logs contain the changes, so that the search is meaningful.
      await expect.poll(async () => (await logsOf(fixture)).audit).toContain(name);
      const { gateway, audit } = await logsOf(fixture);
      expect(gateway).toContain("chat_direct");
      expect(holding([gateway, audit], secrets)).toEqual([]);
    }, 120_000);
  });

  describe("a secret that is being created", () => {
    test("asks before Back leaves it", async () => {
      const { visitor: person, shop } = opened();
      await using visitor = await person.openTab();
      const { page } = visitor;
      await page.goto(`/console/projects/${shop}`);
      await page.getByRole("link", { name: "Tokens", exact: true }).click();
      await page.getByRole("button", { name: "Create token" }).first().click();
      let answer = () => {};
      const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
      await page.route("**/control/mcp", async (route) => {
        const { params } = route.request().postDataJSON() as { readonly params: { readonly name?: string } };
        if (params.name === "svc_create_token") await mayAnswer;
        await route.continue();
      });
      const form = page.getByRole("dialog", { name: "Create token" });
      await form.getByRole("textbox", { name: "Name" }).fill("on its way");
      await form.getByRole("button", { name: "Create token" }).click();
      const question = page.getByRole("dialog", { name: "Leave this page?" });
      await page.evaluate("history.back()");
      await question.getByText("is shown only once").waitFor();
      await question.getByRole("button", { name: "Stay" }).click();
      await question.waitFor({ state: "detached" });
      answer();
      await page.getByLabel("Token on its way", { exact: true }).waitFor();
      expect(page.url()).toMatch(/\/tokens$/);
      await page.getByRole("button", { name: "I have copied it" }).click();
    });
  });

  describe("a secret that is shown once", () => {
    test("stays beside the next one until it is confirmed", async () => {
      const { visitor: person, shop } = opened();
      await using visitor = await person.openTab();
      const { page } = visitor;
      await page.goto(`/console/projects/${shop}/tokens`);
      const plaintexts: (string | null)[] = [];
      for (const name of ["earlier", "later"]) {
        await page.getByRole("button", { name: "Create token" }).first().click();
        const form = page.getByRole("dialog", { name: "Create token" });
        await form.getByRole("textbox", { name: "Name" }).fill(name);
        await form.getByRole("button", { name: "Create token" }).click();
        plaintexts.push(await page.getByLabel(`Token ${name}`, { exact: true }).textContent());
      }
      expect(await page.getByLabel("Token earlier", { exact: true }).textContent()).toBe(plaintexts[0]);
      const confirm = page.getByRole("button", { name: "I have copied it" });
      await confirm.first().click();
      await page.getByLabel("Token later", { exact: true }).waitFor({ state: "detached" });
      await page.getByLabel("Token earlier", { exact: true }).waitFor();
      await confirm.click();
    });

    test("stays when the plan of an applied document is shown again, or the document is edited", async () => {
      await using visitor = await opened().visitor.openTab();
      const { page } = visitor;
      await page.goto("/console/system");
      const tokens = [{ name: "applied", scopes: ["chat"] }];
      const projects = [{ name: "Applied", project_type: "ai_gateway", tokens }];
      const text = page.getByLabel("Document", { exact: true });
      await text.fill(JSON.stringify({ version: 1, projects }));
      await page.getByRole("button", { name: "Show the plan" }).click();
      await page.getByRole("button", { name: "Apply these changes" }).click();
      const secrets = page.getByLabel("New secrets", { exact: true });
      expect(await secrets.textContent()).toContain("svc_live_");
      await page.getByRole("button", { name: "Show the plan" }).click();
      await page.getByText("Nothing to change").waitFor();
      await text.fill("{}");
      expect(await secrets.textContent()).toContain("svc_live_");
      await page.getByRole("button", { name: "I have copied it" }).click();
      await secrets.waitFor({ state: "detached" });
    });
  });
}

interface Sending {
  readonly fixture: ConsoleFixture;
  readonly visitor: ConsoleVisitor;
  readonly marker: string;
  /** Collects the names of the filled secret fields. */
  readonly filled: Set<string>;
}

async function makeOwner({ control }: ConsoleFixture): Promise<{ readonly name: string; readonly key: string }> {
  const name = `owner-${randomBytes(4).toString("hex")}`;
  const { key } = await control.call<{ key: string }>("svc_create_admin_key", { name, role: "owner" });
  return { name, key };
}

/** Sends a form with the marker in each of its secret fields, accepted or refused. */
async function sendWith({ place, ...sending }: Sending & { readonly place: Place }): Promise<void> {
  const { fixture, visitor } = sending;
  const [name, address, label = ""] = place;
  await visitor.page.goto(`/console${address(fixture)}`);
  await visitor.page.getByRole("button", { name: label, exact: true }).first().click();
  const dialog = visitor.page.getByRole("dialog");
  await fillRequired(dialog);
  if (name === "create-api-endpoint") await dialog.getByLabel("Upstream authentication").selectOption("header");
  if ((await fillSecrets(sending)) === 0) return await discard(visitor.page);
  await dialog.locator('button[type="submit"]').click();
  await visitor.settle();
}

async function sendExternalGuardrail(sending: Sending): Promise<void> {
  const { fixture, visitor } = sending;
  const { page } = visitor;
  await page.goto(`/console/projects/${fixture.api}/guardrails`);
  await page.getByRole("button", { name: "Add external guardrail" }).click();
  const external = page.getByRole("group", { name: "External guardrail 1", exact: true });
  await external.getByRole("textbox", { name: "Name" }).fill("safety");
  await external.getByLabel("Kind").selectOption("llama_guard");
  await external.getByRole("textbox", { name: "URL" }).fill("http://127.0.0.1:9/v1/chat/completions");
  await external.getByRole("textbox", { name: "Model" }).fill("guard");
  await fillSecrets(sending);
  await page.getByRole("button", { name: "Save policy" }).click();
  await page.getByText("The policy is saved and applies now.").waitFor();
  await fixture.control.call("svc_set_guardrails", { project: fixture.api, clear: true });
}

/** A call of the playground with a token that the gateway does not know. */
async function callWith(sending: Sending): Promise<void> {
  const { page } = sending.visitor;
  await page.goto(`/console/projects/${sending.fixture.shop}/playground`);
  await page.getByLabel("Token of this project").waitFor();
  await fillSecrets(sending);
  const variable = page.getByRole("textbox", { name: "product" });
  if ((await variable.count()) > 0) await variable.fill("shoes");
  await page.getByRole("textbox", { name: "Message" }).fill("Hello!");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await sending.visitor.settle();
}

/** @returns the number of secret fields */
async function fillSecrets({ visitor, marker, filled }: Sending): Promise<number> {
  const fields = await visitor.page.locator("input[type=password]").all();
  for (const field of fields) {
    const id = await field.getAttribute("id");
    const label = await visitor.page.locator(`label[for="${id}"]`).textContent();
    await field.fill(marker);
    filled.add((label ?? "").replace(/\s*\*$/, ""));
  }
  return fields.length;
}

async function discard(page: Page): Promise<void> {
  const accept = (dialog: Dialog) => void dialog.accept();
  page.on("dialog", accept);
  await page.goto("/console/nowhere");
  page.off("dialog", accept);
}

/** All URLs that a page requests or shows, live. */
function addressesOf(page: Page): readonly string[] {
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url(), request.headers()["referer"] ?? ""));
  page.on("framenavigated", (frame) => addresses.push(frame.url()));
  return addresses;
}

async function storedBy(page: Page): Promise<readonly string[]> {
  const { cookies, origins } = await page.context().storageState({ indexedDB: true });
  // The session's cookie is not readable by scripts, and identifies a session, not a key.
  const tab = await page.evaluate<string>("JSON.stringify([sessionStorage, document.cookie, history.state, name])");
  const caches = await page.evaluate<string>("caches.keys().then((keys) => JSON.stringify(keys))");
  expect(caches).toBe("[]");
  return [JSON.stringify(cookies), JSON.stringify(origins), tab];
}

async function logsOf({ control }: ConsoleFixture): Promise<{ readonly gateway: string; readonly audit: string }> {
  const gateway = await control.call("svc_query_gateway_log", { limit: 200 });
  const audit = await control.call("svc_query_audit_log", { limit: 200 });
  return { gateway: JSON.stringify(gateway), audit: JSON.stringify(audit) };
}

function holding(texts: readonly string[], secrets: readonly string[]): readonly string[] {
  return texts.filter((text) => secrets.some((secret) => text.includes(secret)));
}
