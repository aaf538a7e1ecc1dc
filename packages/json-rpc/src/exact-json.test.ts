import * as fc from "fast-check";
import { expect, test } from "vitest";
import { answerJsonRpc } from "./answer.ts";
import { isExactNumber, parseExactJson } from "./exact-json.ts";

test.each([
  "12345678901234567890",
  "1e400",
  "-0.1234567890123456789",
  "1.0000000000000000000",
  "123456789012345678901234567890.5",
])("%s is written as it was", (text) => {
  const value = parseExactJson(`{"a":[${text}]}`);
  expect(JSON.stringify(value)).toBe(`{"a":[${text}]}`);
});

test.each(["1", "0.5", "-3", "9007199254740991", '"12345678901234567890"'])("%s stays a plain value", (text) => {
  expect(isExactNumber(parseExactJson(text))).toBe(false);
});

test("whatever JSON.stringify writes is parsed as JSON.parse does", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.stringify(parseExactJson(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

const answer = async (body: string, exactNumbers: boolean) => {
  const dispatch = async (_method: string, params: unknown) => await Promise.resolve(params);
  return (await answerJsonRpc(Buffer.from(body), { dispatch, context: undefined, onFailure: () => {}, exactNumbers }))
    .body;
};

test("params keep every number where that is asked for, and the id does anyway", async () => {
  const params = '{"a":12345678901234567890,"id":1e400,"b":[2.50]}';
  const body = `{"jsonrpc":"2.0","id":98765432109876543210,"method":"x","params":${params}}`;
  expect(await answer(body, true)).toBe(`{"jsonrpc":"2.0","id":98765432109876543210,"result":${params}}`);
  expect(await answer(body, false)).toContain('"id":98765432109876543210,');
});

test("a batch keeps the ids of its members", async () => {
  const member = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"x","params":[1e400]}`;
  const reply = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":[1e400]}`;
  const ids = ["1", "12345678901234567890", '"a"', "null"];
  expect(await answer(`[${ids.map(member).join(",")}]`, true)).toBe(`[${ids.map(reply).join(",")}]`);
});
