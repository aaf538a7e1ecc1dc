import { beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { interceptCalls, type InterceptedCall } from "../../src/console/intercepted-calls.ts";
import { pageTools } from "../../src/console/page-tools.ts";

interface Params {
  readonly name?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

const none = { ok: true, chains: 0, faults: [], total_rows: 80 };
/** Verified parts of a log of 80 entries. */
const parts = [
  { ...none, rows: 20, chains: 1, next_cursor: "after 20" },
  { ...none, rows: 40, next_cursor: "after 60" },
  { ...none, rows: 20, chains: 1, next_cursor: null },
] as const;

/** A verification of an audit log that takes more than one call. */
export function describeVerification(opened: () => ConsoleFixture): void {
  describe("verification", () => {
    let fixture: ConsoleFixture;
    const page = () => fixture.visitor.page;
    const { button, open } = pageTools(page);

    beforeAll(() => {
      fixture = opened();
    });

    test("requests one part after the other, and shows the verified share", async () => {
      const waiting: InterceptedCall[] = [];
      const asked: unknown[] = [];
      await using _calls = await interceptCalls(page(), "*/control/mcp", async (call) => {
        const { name, arguments: given } = (call.body["params"] ?? {}) as Params;
        if (name !== "svc_verify_audit_log") return await call.pass();
        asked.push(given);
        waiting.push(call);
      });
      const answerNext = async (part: object) => {
        await expect.poll(() => waiting.length).toBe(1);
        const call = waiting.pop();
        await call?.answer(200, { jsonrpc: "2.0", id: call.body["id"], result: { structuredContent: part } });
      };
      await open("/audit");
      await button("Verify the log").click();
      const bar = page().getByRole("progressbar", { name: "Share of entries verified" });
      for (const [at, share] of ["0", "25", "75"].entries()) {
        await expect.poll(async () => await bar.getAttribute("aria-valuenow")).toBe(share);
        await page().getByText(`Every entry is read and hashed: ${share}\u202F% done`).waitFor();
        expect(await button("Verify the log").isDisabled()).toBe(true);
        await answerNext(parts[at] ?? {});
      }
      await page().getByText("80 entries in 2 chains, unchanged").waitFor();
      await bar.waitFor({ state: "detached" });
      expect(asked).toEqual([
        { max_seconds: 1 },
        { max_seconds: 1, cursor: "after 20" },
        { max_seconds: 1, cursor: "after 60" },
      ]);
    });
  });
}
