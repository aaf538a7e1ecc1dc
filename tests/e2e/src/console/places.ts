import type { SeededProduct } from "./seed-product.ts";

/** Tabs of projects, by project type. */
const tabs = {
  shop: ["", "/endpoints", "/playground", "/sessions", "/tokens", "/issuers", "/guardrails", "/webhooks", "/settings"],
  tools: ["", "/upstreams"],
  wrapper: ["/endpoints", "/playground"],
  api: ["/endpoints", "/connections"],
} as const;

/** Name, path below `/console`, button that opens a form or panel, and where that appears. */
export type Place = readonly [string, (fixture: SeededProduct) => string, string?, "on the page"?];

/** All pages of the console. */
export const pages: readonly Place[] = [
  ...["overview", "projects", "providers", "guardrails", "requests", "audit", "system"].map((name): Place => [
    name,
    () => `/${name === "overview" ? "" : name}`,
  ]),
  ...Object.entries(tabs).flatMap(([kind, paths]) =>
    paths.map((path): Place => {
      const name = `${kind}-${path === "" ? "overview" : path.slice(1)}`;
      return [name, (fixture) => `/projects/${fixture[kind as keyof typeof tabs]}${path}`];
    }),
  ),
  ["webhook", ({ shop, webhookId }) => `/projects/${shop}/webhooks/${webhookId}`],
  ["endpoint", ({ shop, endpointId }) => `/projects/${shop}/endpoints/${endpointId}`],
  ["token", ({ shop, tokenId }) => `/projects/${shop}/tokens/${tokenId}`],
  ["guardrails-of-a-project", ({ shop }) => `/guardrails?project=${shop}`],
  ["nowhere", () => "/nowhere"],
];

/** Forms that open over a page, by their buttons; loaded when opened. */
export const forms: readonly Place[] = [
  ["create-project", () => "/projects", "Create project"],
  ["create-endpoint", ({ shop }) => `/projects/${shop}/endpoints`, "Create endpoint"],
  ["edit-endpoint", ({ shop }) => `/projects/${shop}/endpoints`, "Edit"],
  ["create-token", ({ shop }) => `/projects/${shop}/tokens`, "Create token"],
  ["create-webhook", ({ shop }) => `/projects/${shop}/webhooks`, "Create webhook"],
  ["add-issuer", ({ shop }) => `/projects/${shop}/issuers`, "Add issuer"],
  ["add-connection", ({ api }) => `/projects/${api}/connections`, "Add connection"],
  ["add-provider", () => "/providers", "Add provider"],
  ["add-credential", () => "/providers", "Add credential"],
  ["add-upstream", ({ tools }) => `/projects/${tools}/upstreams`, "Add upstream"],
  ["create-admin-key", () => "/system", "Create admin key"],
];

/** Other panels: dialogs, except those on the page. */
export const panels: readonly Place[] = [
  ["search", () => "/projects", "Search Ctrl K"],
  ["try-endpoint", ({ api }) => `/projects/${api}/endpoints`, "Try it"],
  ["delete-endpoint", ({ shop }) => `/projects/${shop}/endpoints`, "Delete"],
  ["history", ({ shop }) => `/projects/${shop}/endpoints`, "History"],
  ["rotate-secret", ({ shop, webhookId }) => `/projects/${shop}/webhooks/${webhookId}`, "Rotate secret"],
  ["upstream", ({ tools }) => `/projects/${tools}/upstreams`, "Details"],
  ["test-key", () => "/providers", "Test"],
  ["export", () => "/system", "Export configuration", "on the page"],
];

/** Pages that read from the gateway, in groups that are open concurrently, each in a tab. */
export function batchesOfPages(size: number): readonly Batch[] {
  return batchesOf(
    pages.filter(([name]) => name !== "nowhere"),
    size,
  );
}

/** Forms, in the same way. */
export function batchesOfForms(size: number): readonly Batch[] {
  return batchesOf(forms, size);
}

interface Batch {
  /** For the name of a test. */
  readonly names: string;
  readonly places: readonly { readonly address: Place[1]; readonly label: string }[];
}

function batchesOf(places: readonly Place[], size: number): readonly Batch[] {
  return Array.from({ length: Math.ceil(places.length / size) }, (_, at) => {
    const some = places.slice(at * size, (at + 1) * size);
    return {
      names: some.map(([name]) => name).join(", "),
      places: some.map(([, address, label = ""]) => ({ address, label })),
    };
  });
}
