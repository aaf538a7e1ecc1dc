import { EventEmitter } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { guarded, throwUncaught } from "./guarded.ts";

test("a listener's failure goes to the owner of the exchange with its arguments, and not to the emitter", () => {
  const emitter = new EventEmitter();
  const cause = new Error("unreadable");
  const onFailure = vi.fn();
  const listen = vi.fn((bytes: string) => {
    if (bytes === "bad") throw cause;
  });
  emitter.on("data", guarded(listen, onFailure));
  for (const bytes of ["good", "bad", "good"]) emitter.emit("data", bytes);
  expect(listen).toHaveBeenCalledTimes(3);
  expect(onFailure.mock.calls).toEqual([[cause, "bad"]]);
});

test("an exception of the gateway's own code is thrown uncaught after the listener has returned", () => {
  vi.useFakeTimers({ toFake: ["setImmediate"] });
  onTestFinished(() => void vi.useRealTimers());
  const cause = new Error("in doubt");
  const emitter = new EventEmitter();
  const listen = () => {
    throw cause;
  };
  emitter.on("request", guarded(listen, throwUncaught));
  expect(() => emitter.emit("request")).not.toThrow();
  expect(() => vi.runAllTimers()).toThrow(cause);
});
