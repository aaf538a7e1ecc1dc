import type { StreamMessage } from "@gatehouse/events";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { expect, test, vi } from "vitest";
import { ExportQueue } from "./export-queue.ts";

const toMessage = (id: string) => ({ id, body: JSON.stringify([{ request_id: id }, {}]) });

/** A queue with room for two messages, before a collector that is away until a test says otherwise. */
function openQueue() {
  const sent: string[] = [];
  const state = { isAway: true, dropped: 0 };
  const logExport = {
    get failure() {
      return state.isAway ? "the collector answers 401" : undefined;
    },
    send: async (messages: readonly StreamMessage[]) => {
      if (state.isAway) throw new Error("away");
      sent.push(...messages.map(({ id }) => id));
      await Promise.resolve();
    },
  };
  const { log } = createSilentTelemetry();
  const charactersMax = 2 * toMessage("a").body.length;
  const onDropped = (entries: number) => void (state.dropped += entries);
  const queue = new ExportQueue({ logExport, since: () => new Date(0), onDropped, log, charactersMax });
  return { queue, sent, state };
}

test("messages wait in order while the collector is away, and those beyond the bound are counted", async () => {
  const { queue, sent, state } = openQueue();
  queue.offer(["a", "b", "c"].map(toMessage));
  expect(state.dropped).toBe(2);
  expect(await queue.part.notices?.()).toEqual(["log export: entries are left out, since the collector answers 401"]);
  state.isAway = false;
  await vi.waitFor(() => expect(sent).toEqual(["a", "b"]), { timeout: 10_000 });
  queue.offer([toMessage("d")]);
  await vi.waitFor(() => expect(sent).toEqual(["a", "b", "d"]), { timeout: 10_000 });
  expect(await queue.part.notices?.()).toEqual([]);
  expect(state.dropped).toBe(2);
});

test("what waits goes out when the service stops, or is counted where the collector is away", async () => {
  const reached = openQueue();
  reached.state.isAway = false;
  reached.queue.offer([toMessage("a")]);
  await reached.queue.part.stop?.();
  expect(reached.sent).toEqual(["a"]);
  expect(reached.state.dropped).toBe(0);

  const away = openQueue();
  away.queue.offer([toMessage("a"), toMessage("b")]);
  await away.queue.part.stop?.();
  expect(away.sent).toEqual([]);
  expect(away.state.dropped).toBe(4);
  await away.queue.part.start?.();
  away.state.isAway = false;
  away.queue.offer([toMessage("c")]);
  await vi.waitFor(() => expect(away.sent).toEqual(["c"]), { timeout: 10_000 });
});
