import type { Locator, Page } from "playwright-core";
import { fillRequired } from "./fill-required.ts";
import type { SeededProduct } from "./seed-product.ts";

/** A form with its input. */
export interface TypedForm {
  readonly name: string;
  readonly address: (fixture: SeededProduct) => string;
  /** Button that opens it over the page; absent: it is on the page. */
  readonly opener?: string;
  readonly typed: Readonly<Record<string, string>>;
  /** Button that sends it. */
  readonly submit: string;
  /** Operation that it calls. */
  readonly operation: string;
}

const inShop = (tab: string) => (fixture: SeededProduct) => `/projects/${fixture.shop}/${tab}`;
const wanted = { version: 1, projects: [{ name: "Of a document", project_type: "ai_gateway" }] };

/** Every form of the console that creates or changes something. */
export const typedForms: readonly TypedForm[] = [
  {
    name: "project",
    address: () => "/projects",
    opener: "Create project",
    typed: { Name: "Kept project" },
    submit: "Create project",
    operation: "svc_create_project",
  },
  {
    name: "endpoint",
    address: inShop("endpoints"),
    opener: "Create endpoint",
    typed: { Slug: "kept-endpoint" },
    submit: "Create endpoint",
    operation: "svc_create_endpoint",
  },
  {
    name: "edited endpoint",
    address: inShop("endpoints"),
    opener: "Edit",
    typed: { Description: "Kept words" },
    submit: "Save",
    operation: "svc_update_endpoint",
  },
  {
    name: "API endpoint",
    address: ({ api }) => `/projects/${api}/endpoints`,
    opener: "Create endpoint",
    typed: { Slug: "kept-api", "Upstream URL": "https://example.com/kept" },
    submit: "Create endpoint",
    operation: "svc_create_endpoint",
  },
  {
    name: "token",
    address: inShop("tokens"),
    opener: "Create token",
    typed: { Name: "Kept token" },
    submit: "Create token",
    operation: "svc_create_token",
  },
  {
    name: "webhook",
    address: inShop("webhooks"),
    opener: "Create webhook",
    typed: { Name: "Kept webhook", URL: "https://example.com/kept" },
    submit: "Create webhook",
    operation: "svc_create_webhook",
  },
  {
    name: "issuer",
    address: inShop("issuers"),
    opener: "Add issuer",
    typed: { Issuer: "https://kept.example.com", Audience: "kept" },
    submit: "Add issuer",
    operation: "svc_create_issuer",
  },
  {
    name: "OAuth connection",
    address: ({ api }) => `/projects/${api}/connections`,
    opener: "Add connection",
    typed: {
      Name: "Kept connection",
      "Token URL": "https://example.com/token",
      "Client ID": "kept",
      "Client secret": "kept-secret",
    },
    submit: "Add connection",
    operation: "svc_create_oauth_connection",
  },
  {
    name: "provider",
    address: () => "/providers",
    opener: "Add provider",
    typed: { Name: "kept-provider", Kind: "mock" },
    submit: "Add provider",
    operation: "svc_create_provider",
  },
  {
    name: "credential",
    address: () => "/providers",
    opener: "Add credential",
    typed: { Provider: "spare", Name: "kept", "API key": "sk-not-a-real-key-0000" },
    submit: "Add credential",
    operation: "svc_create_credential",
  },
  {
    name: "upstream",
    address: ({ tools }) => `/projects/${tools}/upstreams`,
    opener: "Add upstream",
    typed: { Prefix: "kept", URL: "https://example.com/mcp" },
    submit: "Add upstream",
    operation: "svc_create_upstream",
  },
  {
    name: "administrator",
    address: () => "/system",
    opener: "Create admin key",
    typed: { Name: "Kept key" },
    submit: "Create admin key",
    operation: "svc_create_admin_key",
  },
  {
    name: "policy",
    address: inShop("guardrails"),
    typed: { "Max content length": "4321" },
    submit: "Save policy",
    operation: "svc_set_guardrails",
  },
  {
    name: "project's settings",
    address: ({ wrapper }) => `/projects/${wrapper}/settings`,
    typed: { Name: "Kept name" },
    submit: "Save",
    operation: "svc_update_project",
  },
  {
    name: "document",
    address: () => "/system",
    typed: { Document: JSON.stringify(wanted) },
    submit: "Show the plan",
    operation: "svc_apply_config",
  },
];

/** The form with other texts, for a further test on the same product. */
export function renamed(form: TypedForm, word: string): TypedForm {
  const other = (text: string) => text.replaceAll(/kept/gi, word).replace(/^\d+$/, String(1_000 + word.length));
  return {
    ...form,
    typed: Object.fromEntries(Object.entries(form.typed).map(([label, text]) => [label, other(text)])),
  };
}

/** Location of a form: its drawer, or the page. */
export function placeOf(page: Page, { opener }: TypedForm): Locator {
  return opener === undefined ? page.locator("main") : page.getByRole("dialog").filter({ has: page.locator("form") });
}

/** Opens a form, and types into it. */
export async function typeInto(page: Page, form: TypedForm): Promise<void> {
  if (form.opener !== undefined) {
    await page.getByRole("button", { name: form.opener, exact: true }).first().click();
  }
  const place = placeOf(page, form);
  for (const [label, text] of Object.entries(form.typed)) {
    const field = fieldOf(place, label);
    await field.waitFor();
    if ((await field.evaluate((element) => element.tagName)) === "SELECT") await field.selectOption(text);
    else await field.fill(text);
  }
  if (form.opener !== undefined) await fillRequired(place);
}

/** Present texts of the fields that were typed into. */
export async function readTyped(page: Page, form: TypedForm): Promise<Readonly<Record<string, string>>> {
  const place = placeOf(page, form);
  const pairs = Object.keys(form.typed).map(
    async (label) => [label, await fieldOf(place, label).inputValue()] as const,
  );
  return Object.fromEntries(await Promise.all(pairs));
}

/** By its label, which may have an asterisk. */
function fieldOf(place: Locator, label: string): Locator {
  return place.getByLabel(new RegExp(String.raw`^${label}(?: \*)?$`)).first();
}
