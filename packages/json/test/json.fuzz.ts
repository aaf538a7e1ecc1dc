import assert from "node:assert/strict";
import { JsonRefusal, parseJson } from "../src/index.ts";

/** An accepted text parses as by JSON.parse; JSON.parse also refuses a text refused as malformed. */
function checkAgainstJsonParse(bytes: Buffer): void {
  const text = bytes.toString();
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (err) {
    if (!(err instanceof JsonRefusal) || err.kind !== "malformed") throw err;
    assert.throws(() => JSON.parse(text), "Well-formed JSON was refused as malformed.");
    return;
  }
  assert.deepEqual(value, JSON.parse(text));
}

export const fuzzTargets = [
  {
    name: "json",
    seeds: [
      '{"message":"Hello","list":[1,-2.5e3,true,null,"\\u00e9\\n"],"o":{"a":{}}}',
      '[[],{"A":1,"b":[{}]}]',
      '"text"',
    ],
    words: ['"a":1,"A":2', '"a":1,"a":2', "\\u0061", "[[[[", '{"":'],
    run: checkAgainstJsonParse,
    isDeclared: (err: unknown) => err instanceof JsonRefusal,
  },
];
