import type { Page } from "playwright-core";
import { beforeAll, describe, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { interceptCalls } from "../../src/console/intercepted-calls.ts";

const rows = 10_000;
/** More than the gateway gives at once: the length of the list is what is tried, and each answer goes through the test. */
const rowsOfAnswer = 2_000;
/** A screen of the test's size has some 20 rows; as many are drawn beyond each edge. */
const drawnMax = 120;
/** Each element of a row is made, laid out and painted some 200 times a second while a list is scrolled. */
const elementsOfRowMax = 30;

type Row = Readonly<Record<string, unknown>>;

interface ControlCall {
  readonly id: number;
  readonly params: {
    readonly name?: string;
    readonly arguments?: { readonly cursor?: string };
  };
}

type List = readonly [table: string, operation: string, address: (fixture: ConsoleFixture) => string];

const lists: readonly List[] = [
  ["Projects", "svc_list_projects", () => "/projects"],
  ["Endpoints", "svc_list_endpoints", ({ shop }) => `/projects/${shop}/endpoints`],
  ["Tokens", "svc_list_tokens", ({ shop }) => `/projects/${shop}/tokens`],
  ["Sessions", "svc_list_sessions", ({ shop }) => `/projects/${shop}/sessions`],
  ["Issuers", "svc_list_issuers", ({ shop }) => `/projects/${shop}/issuers`],
  ["Webhooks", "svc_list_webhooks", ({ shop }) => `/projects/${shop}/webhooks`],
  ["Upstreams", "svc_list_upstreams", ({ tools }) => `/projects/${tools}/upstreams`],
  ["Tools of up", "svc_list_upstream_tools", ({ tools }) => `/projects/${tools}/upstreams?upstream=1`],
  ["OAuth connections", "svc_list_oauth_connections", ({ api }) => `/projects/${api}/connections`],
  ["Providers", "svc_list_providers", () => "/providers"],
  ["Credentials", "svc_list_credentials", () => "/providers"],
  ["Events", "svc_query_audit_log", () => "/audit"],
  ["Admin keys", "svc_list_admin_keys", () => "/system"],
  ["Console sessions", "svc_list_console_sessions", () => "/system"],
];

/** Lists as long as a gateway of many years has them. */
export function describeLists(opened: () => ConsoleFixture): void {
  describe("lists", () => {
    let fixture: ConsoleFixture;

    beforeAll(async () => {
      fixture = opened();
      const { control, shop, tokenId } = fixture;
      // Rows with all that they may have in them.
      await control.call("svc_update_token", { token_id: tokenId, rate_limit_per_hour: 1_000 });
      await control.call("svc_create_issuer", { project: shop, issuer: "https://idp.example.com", audience: "a", scopes: ["chat"] }); // prettier-ignore
      await control.call("svc_refresh_upstream", { upstream_id: 1 });
    });

    /** Answers an operation with its own first row, over and over. */
    async function lengthen(at: Page, operation: string): Promise<AsyncDisposable> {
      let real: Row | undefined;
      return await interceptCalls(at, "*/control/mcp", async (call) => {
        const { id, params } = call.body as unknown as ControlCall;
        if (params.name !== operation) return await call.pass();
        const { cursor = "0" } = params.arguments ?? {};
        const lengthened = () => {
          const list = Object.entries(real ?? {}).find(([, value]) => Array.isArray(value))?.[0] ?? "";
          const [first = {}] = (real?.[list] ?? []) as readonly Row[];
          const end = Math.min(rows, Number(cursor) + rowsOfAnswer);
          const made = Array.from({ length: end - Number(cursor) }, (_, index) =>
            numbered(first, Number(cursor) + index),
          );
          const structuredContent = { ...real, [list]: made, next_cursor: end < rows ? String(end) : null };
          return { jsonrpc: "2.0", id, result: { structuredContent } };
        };
        if (real !== undefined) return await call.answer(200, lengthened());
        return await call.change((reply) => {
          real = (reply as { readonly result: { readonly structuredContent: Row } }).result.structuredContent;
          return lengthened();
        });
      });
    }

    test.concurrent.for(lists)(
      "%s: of 10,000 rows few are in the page, and the last is reached",
      async ([name, operation, address], { expect }) => {
        await using tab = await fixture.visitor.openTab();
        const { page } = tab;
        await using _calls = await lengthen(page, operation);
        await page.goto(`/console${address(fixture)}`);
        const table = page.getByRole("table", { name, exact: true });
        await table.waitFor();
        const frame = `document.querySelector('section[aria-label="${name}, table"]')`;
        await expect
          .poll(
            async () => {
              await page.evaluate(`${frame}.scrollTo(0, 1e9)`);
              return await table.locator(`tr[aria-rowindex="${rows + 1}"]`).count();
            },
            { timeout: 45_000, interval: 50 },
          )
          .toBe(1);
        expect(await table.locator("tbody tr").count()).toBeLessThan(drawnMax);
        const { height, heights, elementsMax } = await page.evaluate<DrawnRows>(drawnRows(frame));
        // The place of a row is its number times the height: else the list jumps as it is scrolled.
        expect(heights).toEqual([height]);
        expect(elementsMax).toBeLessThan(elementsOfRowMax);
      },
    );
  });
}

interface DrawnRows {
  /** For which the list keeps room, px. */
  readonly height: number;
  readonly heights: readonly number[];
  readonly elementsMax: number;
}

const drawnRows = (frame: string) => `(() => {
  const rows = [...${frame}.querySelectorAll("tbody tr[data-row]")];
  return {
    height: parseFloat(getComputedStyle(${frame}.querySelector("tbody")).getPropertyValue("--console-row")),
    heights: [...new Set(rows.map((row) => row.getBoundingClientRect().height))],
    elementsMax: Math.max(...rows.map((row) => row.querySelectorAll("*").length)),
  };
})()`;

/** A copy of a row under another identity. */
function numbered(row: Row, at: number): Row {
  const uuid = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
  const changes = { id: at + 1, uuid, session_uuid: uuid, name: `Number ${at}`, slug: `number-${at}` };
  return { ...row, ...Object.fromEntries(Object.entries(changes).filter(([field]) => field in row)) };
}
