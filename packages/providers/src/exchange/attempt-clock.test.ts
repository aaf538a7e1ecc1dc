import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AttemptClock } from "./attempt-clock.ts";

const bounds = { connectMs: 100, headersMs: 1_000, firstTokenMs: 2_000, idleMs: 500, totalMs: 3_000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start({ streaming = false, ...changes }: { streaming?: boolean; totalMs?: number } = {}) {
  const said: string[] = [];
  const onExpire = (err: Error) => said.push(err.message);
  const clock = new AttemptClock("acme", { ...bounds, ...changes }, streaming, onExpire);
  return { clock, said };
}

test("an attempt that is not connected in time expires once", () => {
  const { said } = start();
  vi.advanceTimersByTime(98);
  expect(said).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(said).toEqual(["acme did not accept a connection within 100 ms"]);
});

test("each wait has its own bound, counted from its start", () => {
  const { clock, said } = start();
  vi.advanceTimersByTime(90);
  clock.connected();
  clock.sent();
  vi.advanceTimersByTime(990);
  expect(said).toEqual([]);
  clock.replied();
  vi.advanceTimersByTime(490);
  clock.read();
  vi.advanceTimersByTime(490);
  expect(said).toEqual([]);
  vi.advanceTimersByTime(11);
  expect(said).toEqual(["acme sent nothing for 500 ms"]);
});

test("the shortest bound expires, also when the timer waits for a longer one", () => {
  const { clock, said } = start({ totalMs: 900 });
  clock.connected();
  clock.sent();
  vi.advanceTimersByTime(901);
  expect(said).toEqual(["acme did not finish within 900 ms"]);
});

test("silence does not count while nothing is requested from the provider", () => {
  const { clock, said } = start();
  clock.connected();
  clock.sent();
  clock.replied();
  clock.paused();
  vi.advanceTimersByTime(2_000);
  expect(said).toEqual([]);
  clock.resumed();
  vi.advanceTimersByTime(501);
  expect(said).toEqual(["acme sent nothing for 500 ms"]);
});

test("a stream expires without a first token in time, and afterwards only by silence", () => {
  const late = start({ streaming: true });
  late.clock.connected();
  late.clock.sent();
  late.clock.replied();
  const begun = start({ streaming: true });
  begun.clock.connected();
  begun.clock.sent();
  begun.clock.replied();
  begun.clock.outputArrived();
  for (let chunk = 0; chunk < 20; chunk++) {
    vi.advanceTimersByTime(400);
    begun.clock.outputArrived();
  }
  expect(late.said).toEqual(["acme sent no first token within 2000 ms"]);
  expect(begun.said).toEqual([]);
  begun.clock.outputFinished();
  vi.advanceTimersByTime(501);
  expect(begun.said).toEqual(["acme did not end its stream within 500 ms"]);
});

test("bytes without output do not end a stream's silence, and waits for the gateway do not count", () => {
  const { clock, said } = start({ streaming: true });
  clock.connected();
  clock.sent();
  clock.replied();
  clock.outputArrived();
  for (let comment = 0; comment < 4; comment++) {
    vi.advanceTimersByTime(100);
    clock.read();
    clock.paused();
    vi.advanceTimersByTime(1_000);
    clock.resumed();
  }
  expect(said).toEqual([]);
  vi.advanceTimersByTime(101);
  expect(said).toEqual(["acme sent no output for 500 ms"]);
});

test("a stopped clock reports nothing and has no timer, after any call", () => {
  const { clock, said } = start({ streaming: true });
  clock.stop();
  clock.sent();
  clock.replied();
  clock.outputArrived();
  clock.outputFinished();
  clock.paused();
  clock.resumed();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(10_000);
  expect(said).toEqual([]);
});

test("a successful attempt sets one timer", () => {
  const setTimer = vi.spyOn(globalThis, "setTimeout");
  const { clock } = start();
  clock.connected();
  clock.sent();
  clock.replied();
  clock.read();
  clock.stop();
  expect(setTimer).toHaveBeenCalledTimes(1);
});
