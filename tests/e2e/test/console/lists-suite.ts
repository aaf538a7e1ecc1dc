import type { Page } from "playwright-core";
import { beforeAll, describe, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { interceptCalls } from "../../src/console/intercepted-calls.ts";
import { measureScroll, type ScrollCost } from "../../src/console/scroll-cost.ts";

const rowsOfAll = 10_000;
/** More than the gateway gives at once: the length of the list is what is tried, and each answer goes through the test. */
const rowsOfAnswer = 2_000;
/** A screen of the test's size has some 20 rows; as many are drawn beyond each edge. */
const drawnMax = 120;
/** Time of a frame at 60 a second, to which the cost on the reference machine is held. */
const frameMs = 1_000 / 60;
/** A frame of the test scrolls by three or four rows; the window of rows moves by steps of eight. */
const rowsPerFrameMax = 25;
const framesOfMeasure = 60;
const measuresMax = 3;
/** Operations that the rows of policies ask for, of owners that are not there. */
const ofAnyOwner = ["svc_get_guardrails", "svc_count_findings"];
/** Each element of a row is made, laid out and painted some 200 times a second while a list is scrolled. */
const elementsOfRowMax = 30;

type Row = Readonly<Record<string, unknown>>;

interface ControlCall {
  readonly id: number;
  readonly params: {
    readonly name?: string;
    readonly arguments?: { readonly cursor?: string; readonly project?: string };
  };
}

interface List {
  /** Its name on the page. */
  readonly table: string;
  readonly operation: string;
  readonly address: (fixture: ConsoleFixture) => string;
  /** The field that tells rows apart, beside the usual ones. */
  readonly key?: string;
  /** A row, where the product in use has none. */
  readonly row?: Row;
  /** Fewer, where the page asks for no more. */
  readonly rows?: number;
  /** A text that rows read one by one. */
  readonly reads?: string;
}

const subject = { id: 1, subject: "0".repeat(100), is_active: true, created_at: "2026-01-01T00:00:00Z" };

/**
 * Lists whose length has no bound, and some with one. Left out are those that are never windowed: findings and deliveries (50 on a
 * page), a person's sessions (50), sums by project and the like (50), targets (16), kinds of errors and services.
 */
const lists: readonly List[] = [
  { table: "Projects", operation: "svc_list_projects", address: () => "/projects" },
  { table: "Policies", operation: "svc_list_projects", address: () => "/guardrails", reads: "PII: mask" },
  { table: "Endpoints", operation: "svc_list_endpoints", address: ({ shop }) => `/projects/${shop}/endpoints` },
  { table: "Endpoints", operation: "svc_list_endpoints", address: ({ api }) => `/projects/${api}/endpoints` },
  { table: "Usage by endpoint", operation: "svc_get_usage", address: () => "/", key: "endpoint" },
  { table: "Tokens", operation: "svc_list_tokens", address: ({ shop }) => `/projects/${shop}/tokens` },
  { table: "Sessions", operation: "svc_list_sessions", address: ({ shop }) => `/projects/${shop}/sessions` },
  { table: "Issuers", operation: "svc_list_issuers", address: ({ shop }) => `/projects/${shop}/issuers` },
  {
    table: "Subjects",
    operation: "svc_list_subjects",
    address: ({ shop }) => `/projects/${shop}/issuers?issuer=1`,
    row: subject,
    rows: 200,
  },
  { table: "Webhooks", operation: "svc_list_webhooks", address: ({ shop }) => `/projects/${shop}/webhooks` },
  { table: "Upstreams", operation: "svc_list_upstreams", address: ({ tools }) => `/projects/${tools}/upstreams` },
  {
    table: "Tools of up",
    operation: "svc_list_upstream_tools",
    address: ({ tools }) => `/projects/${tools}/upstreams?upstream=1`,
  },
  {
    table: "OAuth connections",
    operation: "svc_list_oauth_connections",
    address: ({ api }) => `/projects/${api}/connections`,
  },
  { table: "Providers", operation: "svc_list_providers", address: () => "/providers" },
  { table: "Credentials", operation: "svc_list_credentials", address: () => "/providers" },
  { table: "Requests", operation: "svc_query_gateway_log", address: () => "/requests?live=false" },
  { table: "Events", operation: "svc_query_audit_log", address: () => "/audit" },
  { table: "Admin keys", operation: "svc_list_admin_keys", address: () => "/system" },
  { table: "Console sessions", operation: "svc_list_console_sessions", address: () => "/system" },
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
    async function lengthen(at: Page, { operation, key, row, rows = rowsOfAll }: List): Promise<AsyncDisposable> {
      let real: Row | undefined;
      return await interceptCalls(at, "*/control/mcp", async (call) => {
        const { id, params } = call.body as unknown as ControlCall;
        const { name = "", arguments: args = {} } = params;
        const reply = (structuredContent: unknown) => ({ jsonrpc: "2.0", id, result: { structuredContent } });
        if (ofAnyOwner.includes(name)) {
          return await call.answer(200, reply(await fixture.control.call(name, { project: fixture.shop })));
        }
        if (name !== operation) return await call.pass();
        const from = Number(args.cursor ?? 0);
        const lengthened = (known: Row) => {
          const list = Object.entries(known).find(([, value]) => Array.isArray(value))?.[0] ?? "";
          const [first = row ?? {}] = known[list] as readonly Row[];
          const isPaged = "next_cursor" in known;
          const end = isPaged ? Math.min(rows, from + rowsOfAnswer) : rows;
          const made = Array.from({ length: end - from }, (_, index) => numbered(first, from + index, key));
          return reply({ ...known, [list]: made, ...(isPaged && { next_cursor: end < rows ? String(end) : null }) });
        };
        if (real !== undefined) return await call.answer(200, lengthened(real));
        return await call.change((answer) => {
          real = (answer as { readonly result: { readonly structuredContent: Row } }).result.structuredContent;
          return lengthened(real);
        });
      });
    }

    // One after the other: the cost of a frame is of one page alone.
    test.for(lists)(
      "$table ($operation): of 10,000 rows few are in the page, the last is reached, and a frame costs little",
      async (list, { expect }) => {
        const { table: name, rows = rowsOfAll } = list;
        await using tab = await fixture.visitor.openTab();
        const { page } = tab;
        await using _calls = await lengthen(page, list);
        await page.goto(`/console${list.address(fixture)}`);
        const table = page.getByRole("table", { name, exact: name !== "Subjects" });
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
        await tab.settle();
        const costs = [await measureScroll(page, frame, framesOfMeasure)];
        // A machine that does other work adds to the cost, and takes nothing from it: the least is the page's.
        while (leastOf(costs) >= frameMs && costs.length < measuresMax) {
          costs.push(await measureScroll(page, frame, framesOfMeasure));
        }
        console.log(`scrolling ${rows} rows of ${name}, of ${elementsMax} elements: ${JSON.stringify(costs)}`);
        if (list.reads !== undefined) await table.getByText(list.reads).first().waitFor();
        expect(leastOf(costs)).toBeLessThan(frameMs);
        expect(Math.max(...costs.map(({ rowsPerFrameMax: most }) => most))).toBeLessThan(rowsPerFrameMax);
      },
    );

    test("a field that knows 10,000 values proposes some of them, and all by their names", async ({ expect }) => {
      const { shop, visitor } = fixture;
      await using tab = await visitor.openTab();
      const { page } = tab;
      await using _calls = await lengthen(page, { table: "", operation: "svc_list_endpoints", address: () => "" });
      await page.goto(`/console/projects/${shop}/tokens`);
      await page.getByRole("button", { name: "Edit", exact: true }).first().click();
      const field = page.getByRole("dialog").getByRole("combobox", { name: "Endpoints" });
      await field.click();
      const options = page.getByRole("option");
      await options.first().waitFor();
      expect(await options.count()).toBeLessThan(drawnMax);
      await field.fill("number-9876");
      await expect.poll(async () => await options.allTextContents()).toEqual(["number-9876"]);
    });
  });
}

function leastOf(costs: readonly ScrollCost[]): number {
  return Math.min(...costs.map(({ referenceMsPerFrame }) => referenceMsPerFrame));
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

/** A copy of a row under another identity. @param key the field by which the page knows it, beside the usual ones */
function numbered(row: Row, at: number, key = "id"): Row {
  const uuid = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
  const changes = { [key]: uuid, id: at + 1, uuid, session_uuid: uuid, name: `Number ${at}`, slug: `number-${at}` };
  return { ...row, ...Object.fromEntries(Object.entries(changes).filter(([field]) => field in row)) };
}
