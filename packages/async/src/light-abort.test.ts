import { describe, expect, it, vi } from "vitest";
import { type AbortState, LightAbort } from "./light-abort.ts";

interface Aborting {
  readonly abort: (reason?: unknown) => void;
  readonly state: AbortState;
}

/** Both pass one suite. */
const kinds: Readonly<Record<string, () => Aborting>> = {
  AbortController: () => {
    const controller = new AbortController();
    return { abort: (reason) => controller.abort(reason), state: controller.signal };
  },
  LightAbort: () => {
    const light = new LightAbort();
    return { abort: (reason) => light.abort(reason), state: light };
  },
  "signal of a LightAbort": () => {
    const light = new LightAbort();
    return { abort: (reason) => light.abort(reason), state: light.signal };
  },
};

describe.each(Object.entries(kinds))("%s", (_name, create) => {
  it("is not aborted at first", () => {
    const { state } = create();
    expect([state.aborted, state.reason]).toEqual([false, undefined]);
  });

  it("keeps the first reason", () => {
    const { abort, state } = create();
    abort("first");
    abort("second");
    expect([state.aborted, state.reason]).toEqual([true, "first"]);
  });

  it("has an AbortError as its reason where none is given", () => {
    const { abort, state } = create();
    abort();
    expect(state.reason).toMatchObject({ name: "AbortError", message: "This operation was aborted" });
  });

  it("calls its listeners once, in order, after it has its reason", () => {
    const { abort, state } = create();
    const calls: unknown[] = [];
    state.addEventListener("abort", () => calls.push(["first", state.reason]), { once: true });
    state.addEventListener("abort", () => calls.push(["second", state.aborted]), { once: true });
    abort("over");
    abort("again");
    expect(calls).toEqual([
      ["first", "over"],
      ["second", true],
    ]);
  });

  it("does not call a listener that was removed, also by another listener", () => {
    const { abort, state } = create();
    const [removed, late] = [vi.fn(), vi.fn()];
    state.addEventListener("abort", removed);
    state.addEventListener("abort", () => state.removeEventListener("abort", late));
    state.addEventListener("abort", late);
    state.removeEventListener("abort", removed);
    abort();
    expect([removed.mock.calls, late.mock.calls]).toEqual([[], []]);
  });

  it("does not call a listener that was added after the abort, or by a listener", () => {
    const { abort, state } = create();
    const late = vi.fn();
    state.addEventListener("abort", () => state.addEventListener("abort", late));
    abort();
    state.addEventListener("abort", late);
    expect(late).not.toHaveBeenCalled();
  });
});

it("gives one signal, which is aborted with it, also where it is asked for later", () => {
  const [early, late] = [new LightAbort(), new LightAbort()];
  const { signal } = early;
  early.abort("over");
  late.abort("over");
  expect(early.signal).toBe(signal);
  expect([signal, late.signal].map(({ aborted, reason }) => [aborted, reason])).toEqual([
    [true, "over"],
    [true, "over"],
  ]);
});

it("throws the exception of a listener in the next turn, and calls the other listeners", () => {
  vi.useFakeTimers();
  const light = new LightAbort();
  const other = vi.fn();
  light.addEventListener("abort", () => {
    throw new Error("a defect");
  });
  light.addEventListener("abort", other);
  light.abort();
  expect(other).toHaveBeenCalledOnce();
  expect(() => vi.runAllTimers()).toThrow("a defect");
  vi.useRealTimers();
});
