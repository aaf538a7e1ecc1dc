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
  expect(await queue.part.notices?.()).toEqual(["log export: entries are dropped, since the collector answers 401"]);
  state.isAway = false;
  await vi.waitFor(() => expect(sent).toEqual(["a", "b"]), { timeout: 10_000 });
  queue.offer([toMessage("d")]);
  await vi.waitFor(() => expect(sent).toEqual(["a", "b", "d"]), { timeout: 10_000 });
  expect(await queue.part.notices?.()).toEqual([]);
  expect(state.dropped).toBe(2);
});

test("waiting messages are sent when the service stops, or counted if the collector is away", async () => {
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
});

test("no request starts after the stop's bound, regardless of changes of the clock", async () => {
  const sent: string[] = [];
  let nowMs = 1_000;
  let dropped = 0;
  const wall = vi.spyOn(Date, "now").mockReturnValue(0);
  const queue = new ExportQueue({
    logExport: {
      failure: undefined,
      send: async (messages: readonly StreamMessage[]) => {
        sent.push(...messages.map(({ id }) => id));
        nowMs += 2_500;
        await Promise.resolve();
      },
    },
    since: () => new Date(0),
    onDropped: (entries) => (dropped += entries),
    log: createSilentTelemetry().log,
    now: () => nowMs,
  });
  queue.offer(Array.from({ length: 48 }, (_, at) => toMessage(`${at}`)));
  await queue.part.stop?.();
  wall.mockRestore();
  expect(sent).toHaveLength(32);
  expect(dropped).toBe(32);
});
