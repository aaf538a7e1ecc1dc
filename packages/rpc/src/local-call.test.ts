import { describe, expect, test, vi } from "vitest";
import { LocalCall } from "./local-call.ts";

function watchedSignal() {
  const controller = new AbortController();
  const listen = vi.spyOn(controller.signal, "addEventListener");
  const forget = vi.spyOn(controller.signal, "removeEventListener");
  return {
    controller,
    signal: controller.signal,
    left: () => listen.mock.calls.length - forget.mock.calls.length,
    listen,
  };
}

describe("a call within the process", () => {
  test("adds no listener to the caller's signal when the service answers at once", async () => {
    const { signal, listen } = watchedSignal();
    const call = new LocalCall({ signal, deadline: 1_000 });
    expect(await call.race((async () => await Promise.resolve(7))())).toBe(7);
    await new Promise((resolve) => setImmediate(resolve));
    expect(listen).not.toHaveBeenCalled();
    call.release();
  });

  test("fails when its caller aborts in the same turn as the answer", async () => {
    const controller = new AbortController();
    const call = new LocalCall({ signal: controller.signal });
    const answer = call.race(Promise.resolve(7));
    controller.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  });

  test("gives a service a signal after its end that holds nothing", () => {
    const { signal, left } = watchedSignal();
    const call = new LocalCall({ signal, deadline: 1_000 });
    call.release();
    expect(call.signal.aborted).toBe(false);
    expect(left()).toBe(0);
  });

  test("passes its caller's abort to a service that uses its signal", () => {
    const { controller, signal, left } = watchedSignal();
    const call = new LocalCall({ signal });
    const seen = call.signal;
    const reason = new Error("revoked");
    controller.abort(reason);
    expect(seen.reason).toBe(reason);
    const late = new LocalCall({ signal });
    expect(late.signal.reason).toBe(reason);
    late.release();
    call.release();
    expect(left()).toBe(0);
  });

  test("fails with the service's error", async () => {
    const call = new LocalCall({ deadline: 1_000 });
    await expect(call.race(Promise.reject(new Error("defect")))).rejects.toThrow("defect");
  });
});
