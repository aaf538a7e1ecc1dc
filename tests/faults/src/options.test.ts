import { expect, test } from "vitest";
import { parseFaultOptions } from "./options.ts";
import { atRandom } from "./services.ts";

test("options have defaults, and take lists", () => {
  expect(parseFaultOptions([])).toEqual({
    rate: 200,
    replicas: [1, 2],
    only: [],
    minutes: undefined,
    seed: 1,
    otherVersion: undefined,
    log: undefined,
    help: false,
  });
  expect(parseFaultOptions(["--rate", "50", "--replicas", "2", "--only", "chat,NATS"])).toMatchObject({
    rate: 50,
    replicas: [2],
    only: ["chat", "NATS"],
  });
});

test("random faults continue until the end time, in an order given by the seed", () => {
  const order = (seed: number) => {
    let nowMs = 0;
    return [...atRandom(["a", "b", "c"], { untilMs: 20, seed, now: () => nowMs++ })].join("");
  };
  expect(order(7)).toHaveLength(20);
  expect(order(7)).toBe(order(7));
  expect(order(7)).not.toBe(order(8));
  expect(new Set(order(7))).toEqual(new Set("abc"));
});

test.each([
  ["--minutes", "0"],
  ["--rate", "0"],
  ["--rate", "fast"],
  ["--replicas", "3"],
  ["--replicas", "1,,2"],
])("%s %s is refused by name", (name, value) => {
  expect(() => parseFaultOptions([name, value])).toThrow(name);
});
