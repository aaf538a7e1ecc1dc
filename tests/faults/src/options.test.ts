import { expect, test } from "vitest";
import { parseFaultOptions } from "./options.ts";

test("options have defaults, and take lists", () => {
  expect(parseFaultOptions([])).toEqual({ rate: 200, replicas: [1, 2], only: [], help: false });
  expect(parseFaultOptions(["--rate", "50", "--replicas", "2", "--only", "chat,NATS"])).toMatchObject({
    rate: 50,
    replicas: [2],
    only: ["chat", "NATS"],
  });
});

test.each([
  ["--rate", "0"],
  ["--rate", "fast"],
  ["--replicas", "3"],
  ["--replicas", "1,,2"],
])("%s %s is refused by name", (name, value) => {
  expect(() => parseFaultOptions([name, value])).toThrow(name);
});
