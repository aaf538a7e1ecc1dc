import type { ChangeListener } from "@gatehouse/database";
import { expect, test } from "vitest";
import { encodePrincipalChange } from "../domain/principal-change.ts";
import { pendingChangesMax } from "./change-queue.ts";
import { createWatchPrincipals } from "./watch-principals.ts";

function start() {
  const listeners = new Set<ChangeListener>();
  const feed = {
    subscribe(listener: ChangeListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const [caller, stopping] = [new AbortController(), new AbortController()];
  const watch = createWatchPrincipals(feed, stopping.signal)({}, { signal: caller.signal });
  const tell = (payload: string) => listeners.forEach((listener) => listener.onChange(payload));
  const lose = () => listeners.forEach((listener) => listener.onGap());
  return { watch, listeners, caller, stopping, tell, lose };
}

const change = (tokenId: number) => encodePrincipalChange({ kind: "token", tokenId });

test("a change that comes right after the first message is not missed", async () => {
  const { watch, tell } = start();
  expect(await watch.next()).toEqual({ done: false, value: {} });
  tell(change(1));
  tell(encodePrincipalChange({ kind: "project", projectUuid: "u" }));
  tell(encodePrincipalChange({ kind: "admin_key", adminKeyId: 3 }));
  expect((await watch.next()).value).toEqual({ subject: { $case: "tokenId", value: 1 } });
  expect((await watch.next()).value).toEqual({ subject: { $case: "projectUuid", value: "u" } });
  expect((await watch.next()).value).toEqual({ subject: { $case: "adminKeyId", value: 3 } });
});

test("a watcher that waits is woken", async () => {
  const { watch, tell } = start();
  await watch.next();
  const next = watch.next();
  tell(change(7));
  expect((await next).value).toEqual({ subject: { $case: "tokenId", value: 7 } });
});

test("a watcher that reads too slowly is disconnected and its queue released", async () => {
  const { watch, tell, listeners } = start();
  await watch.next();
  for (let id = 0; id <= pendingChangesMax; id++) tell(change(id));
  await expect(watch.next()).rejects.toMatchObject({ code: "unavailable" });
  expect(listeners.size).toBe(0);
});

test.each(["a gap in the feed", "a change of a form that is not known"])(
  "%s ends the watch as unavailable",
  async (what) => {
    const { watch, tell, lose } = start();
    await watch.next();
    if (what === "a gap in the feed") lose();
    else tell('{"kind":"new"}');
    await expect(watch.next()).rejects.toMatchObject({ code: "unavailable" });
  },
);

test.each(["caller", "stopping"] as const)("the watch ends when the %s aborts, waiting or not", async (who) => {
  const waiting = start();
  await waiting.watch.next();
  const next = waiting.watch.next();
  waiting[who].abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(waiting.listeners.size).toBe(0);

  const early = start();
  early[who].abort();
  await early.watch.next();
  expect((await early.watch.next()).done).toBe(true);
});
