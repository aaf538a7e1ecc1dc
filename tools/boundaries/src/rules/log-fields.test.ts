import { expect, test } from "vitest";
import { breachesOf } from "../testing/in-memory-repository.ts";

const path = "packages/clock/src/a.ts";

test.each([
  `log.warn({ requestId }, "a");`,
  `this.#log.error({ err, requestId: id }, "a");`,
  `telemetry.log[level]({ request_id, ...(isLate ? { requestId } : {}) }, "a");`,
  `const fields = { requestId }; logger.info(fields, "a");`,
  `const child = log.child({ "requestId": id });`,
  `options.log.debug({ ...(isLate && { requestId }) }, "a");`,
])("a field of a log entry is in snake_case: %s", (text) => {
  expect(breachesOf("log-fields", { [path]: text })).toEqual([`${path}:1 logs the field "requestId"`]);
});

test("the rest of another object has fields of unknown names", () => {
  const text = `const { kind, ...fields } = event; log.warn(fields, kind);`;
  expect(breachesOf("log-fields", { [path]: text })).toEqual([`${path}:1 logs the field "...fields"`]);
});

test.each([
  `log.warn({ err, request_id: requestId, http2_streams: 1 }, "a");`,
  `log.warn("a");`,
  `audit.write({ requestId });`,
  `Math.log({ requestId });`,
])("other names are accepted: %s", (text) => {
  expect(breachesOf("log-fields", { [path]: text })).toEqual([]);
});

test("so are tests", () => {
  expect(breachesOf("log-fields", { "packages/clock/src/a.test.ts": `log.warn({ requestId }, "a");` })).toEqual([]);
});
