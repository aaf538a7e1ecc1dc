import * as fc from "fast-check";
import { expect, test } from "vitest";
import { answerJsonRpc } from "./answer.ts";
import { parseExactJson } from "./exact-json.ts";
import { JsonText } from "./json.ts";
import { textOf } from "./testing.ts";

test.each([
  "12345678901234567890",
  "1e400",
  "-0.1234567890123456789",
  "1.0000000000000000000",
  "123456789012345678901234567890.5",
])("%s is written as it was read", (text) => {
  const value = parseExactJson(`{"a":[${text}]}`);
  expect(JSON.stringify(value)).toBe(`{"a":[${text}]}`);
});

test.each(["1", "0.5", "-3", "9007199254740991", '"12345678901234567890"'])("%s stays a plain value", (text) => {
  expect(parseExactJson(text)).toEqual(JSON.parse(text));
});

test("any text of JSON.stringify is parsed as by JSON.parse", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.stringify(parseExactJson(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

/** Answers with the params as received, where they are kept. */
async function answer(body: string, keepsParams: boolean): Promise<string | undefined> {
  const reply = await answerJsonRpc<JsonText>(Buffer.from(body), {
    dispatch: async (_method, _params, context) => await Promise.resolve(context),
    context: new JsonText("null"),
    toRequestContext: (context, { params }) => (params === undefined ? context : new JsonText(params.bytes)),
    onFailure: () => {},
    keepsParams,
  });
  return textOf(reply);
}

test("params are kept byte for byte on request, and ids in any case", async () => {
  const params = '{ "a":12345678901234567890,"id":1e400,"b":[2.50],"b":"\\u0041"}';
  const body = `{"jsonrpc":"2.0","id":98765432109876543210,"method":"x","params":${params}}`;
  expect(await answer(body, true)).toBe(`{"jsonrpc":"2.0","id":98765432109876543210,"result":${params}}`);
  expect(await answer(`\uFEFF${body}`, true)).toContain(params);
  expect(await answer(body.replace('"params"', '"x"'), false)).toContain('"id":98765432109876543210,');
});

test("a batch keeps the ids and params of its members", async () => {
  const member = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"x","params":[${id},1e400]}`;
  const reply = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":[${id},1e400]}`;
  const ids = ["1", "12345678901234567890", '"a"', "null"];
  expect(await answer(`[${ids.map(member).join(",")}]`, true)).toBe(`[${ids.map(reply).join(",")}]`);
});
