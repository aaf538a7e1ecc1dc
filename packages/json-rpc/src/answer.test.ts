import { GatewayError } from "@gatehouse/errors";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { answerJsonRpc, type JsonRpcReply } from "./answer.ts";
import { type JsonRpcDispatcher, jsonRpcBounds } from "./dispatch.ts";
import { JsonRpcError } from "./json-rpc-error.ts";
import { textOf } from "./testing.ts";

/** Answers `echo` with its params, and fails in each way that a method can. */
const dispatch: JsonRpcDispatcher<string> = async (method, params, context) => {
  await Promise.resolve();
  switch (method) {
    case "echo":
      return params ?? "none";
    case "context":
      return context;
    case "nothing":
      return undefined;
    case "refused":
      throw new GatewayError("not_found", "Project not found: x");
    case "limited":
      throw new GatewayError("rate_limited", "Rate limit exceeded.", {
        details: { scope: "minute" },
        retryAfterSeconds: 3,
      });
    case "upstream":
      throw new JsonRpcError(-32042, "Upstream says no.", { data: { hint: ["a"] } });
    case "defect":
      throw new TypeError("secret cause");
    case "unserialisable":
      return { big: 1n };
    default:
      throw new GatewayError("unknown_method", `Method not found: ${method}`);
  }
};

async function answer(text: string | Buffer): Promise<JsonRpcReply> {
  return await answerJsonRpc(Buffer.from(text), { dispatch, context: "ctx", onFailure: () => {} });
}

const echo = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"echo"}`;
const echoed = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":"none"}`;
const failed = (code: number, message: string, id = "null") =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}`;
const invalid = (problem: string, id = "null") => failed(-32600, `Invalid request: ${problem}.`, id);
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const utf8 = "Parse error: Request body is not valid UTF-8.";

type Row = readonly [name: string, body: string | Buffer, status: number, reply: string | undefined];

const ids: Row[] = [
  "1",
  "0",
  "-1",
  "1.5",
  '"a"',
  '""',
  '"1"',
  "null",
  '"\\u0000"',
  '"ü"',
  "9007199254740991",
  "9007199254740993",
  "12345678901234567890",
  "-12345678901234567890123",
  "1e400",
  "123456789012345678901234567890.5",
].map((id) => [`the id ${id} comes back as it was`, echo(id), 200, echoed(id)]);

const singles: Row[] = [
  [
    "params by name",
    '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}',
    200,
    '{"jsonrpc":"2.0","id":1,"result":{"a":1}}',
  ],
  [
    "params by position",
    '{"jsonrpc":"2.0","id":1,"method":"echo","params":[1,2]}',
    200,
    '{"jsonrpc":"2.0","id":1,"result":[1,2]}',
  ],
  ["params null are none", '{"jsonrpc":"2.0","id":1,"method":"echo","params":null}', 200, echoed("1")],
  [
    "params that are empty",
    '{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}',
    200,
    '{"jsonrpc":"2.0","id":1,"result":{}}',
  ],
  ["members in any order", '{"method":"echo","id":1,"jsonrpc":"2.0"}', 200, echoed("1")],
  ["further members are ignored", '{"jsonrpc":"2.0","id":1,"method":"echo","extra":true}', 200, echoed("1")],
  ["the last of two ids counts", '{"jsonrpc":"2.0","id":1,"id":2,"method":"echo"}', 200, echoed("2")],
  ["the last of two large ids counts", '{"jsonrpc":"2.0","id":1e400,"id":2e400,"method":"echo"}', 200, echoed("2e400")],
  ["white space around", ` \n ${echo("1")} \r\n`, 200, echoed("1")],
  ["a byte order mark", `\uFEFF${echo("1")}`, 200, echoed("1")],
  ["a byte order mark and a large id", `\uFEFF${echo("12345678901234567890")}`, 200, echoed("12345678901234567890")],
  [
    "an id deeper in params is no id",
    '{"jsonrpc":"2.0","id":1e400,"method":"echo","params":{"id":5}}',
    200,
    '{"jsonrpc":"2.0","id":1e400,"result":{"id":5}}',
  ],
  [
    "the context reaches the method",
    '{"jsonrpc":"2.0","id":1,"method":"context"}',
    200,
    '{"jsonrpc":"2.0","id":1,"result":"ctx"}',
  ],
  [
    "a method without a result",
    '{"jsonrpc":"2.0","id":1,"method":"nothing"}',
    200,
    '{"jsonrpc":"2.0","id":1,"result":null}',
  ],
  [
    "a lone surrogate in params",
    '{"jsonrpc":"2.0","id":1,"method":"echo","params":["\\ud800"]}',
    200,
    '{"jsonrpc":"2.0","id":1,"result":["\\ud800"]}',
  ],
  [
    "a member named __proto__",
    '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"__proto__":1}}',
    200,
    '{"jsonrpc":"2.0","id":1,"result":{"__proto__":1}}',
  ],
];

const errors: Row[] = [
  ["an unknown method", '{"jsonrpc":"2.0","id":1,"method":"nope"}', 200, failed(-32601, "Method not found: nope", "1")],
  ["an empty method", '{"jsonrpc":"2.0","id":1,"method":""}', 200, failed(-32601, "Method not found: ", "1")],
  ["a refusal", '{"jsonrpc":"2.0","id":"x","method":"refused"}', 200, failed(-32602, "Project not found: x", '"x"')],
  [
    "a refusal with details",
    '{"jsonrpc":"2.0","id":1,"method":"limited"}',
    200,
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Rate limit exceeded.","data":{"scope":"minute","retry_after":3}}}',
  ],
  [
    "an upstream's error, verbatim",
    '{"jsonrpc":"2.0","id":1,"method":"upstream"}',
    200,
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"Upstream says no.","data":{"hint":["a"]}}}',
  ],
  [
    "a defect says nothing",
    '{"jsonrpc":"2.0","id":1,"method":"defect"}',
    200,
    failed(-32603, "Unexpected error.", "1"),
  ],
  [
    "a result that is no JSON",
    '{"jsonrpc":"2.0","id":1,"method":"unserialisable"}',
    200,
    failed(-32603, "Unexpected error.", "1"),
  ],
  ["no method", '{"jsonrpc":"2.0","id":1}', 200, invalid("method is missing", "1")],
  ["no method and no id", '{"jsonrpc":"2.0"}', 200, invalid("method is missing")],
  ["a method that is a number", '{"jsonrpc":"2.0","id":1,"method":1}', 200, invalid("method must be a string", "1")],
  ["a method that is null", '{"jsonrpc":"2.0","id":1,"method":null}', 200, invalid("method must be a string", "1")],
  ["the example of section 7", '{"jsonrpc":"2.0","method":1,"params":"bar"}', 200, invalid("method must be a string")],
  ["no version", '{"id":1,"method":"echo"}', 200, invalid('jsonrpc must be "2.0"', "1")],
  ["version 1.0", '{"jsonrpc":"1.0","id":1,"method":"echo"}', 200, invalid('jsonrpc must be "2.0"', "1")],
  ["a version that is a number", '{"jsonrpc":2.0,"id":1,"method":"echo"}', 200, invalid('jsonrpc must be "2.0"', "1")],
  ["a notification without a version", '{"method":"echo"}', 200, invalid('jsonrpc must be "2.0"')],
  [
    "an id that is an object",
    '{"jsonrpc":"2.0","id":{},"method":"echo"}',
    200,
    invalid("id must be a string, a number or null"),
  ],
  [
    "an id that is an array",
    '{"jsonrpc":"2.0","id":[1],"method":"echo"}',
    200,
    invalid("id must be a string, a number or null"),
  ],
  [
    "an id that is true",
    '{"jsonrpc":"2.0","id":true,"method":"echo"}',
    200,
    invalid("id must be a string, a number or null"),
  ],
  [
    "params that are a string",
    '{"jsonrpc":"2.0","id":1,"method":"echo","params":"bar"}',
    200,
    invalid("params must be an object or an array", "1"),
  ],
  [
    "params that are a number",
    '{"jsonrpc":"2.0","id":1,"method":"echo","params":0}',
    200,
    invalid("params must be an object or an array", "1"),
  ],
  [
    "params that are false",
    '{"jsonrpc":"2.0","id":1,"method":"echo","params":false}',
    200,
    invalid("params must be an object or an array", "1"),
  ],
  ["an empty object", "{}", 200, invalid('jsonrpc must be "2.0"')],
  ["null", "null", 200, invalid("a request must be a JSON object")],
  ["a number", "1", 200, invalid("a request must be a JSON object")],
  ["a string", '"echo"', 200, invalid("a request must be a JSON object")],
  ["true", "true", 200, invalid("a request must be a JSON object")],
  [
    "a body that is too deep",
    `{"jsonrpc":"2.0","id":1,"method":"echo","params":${nested(100)}}`,
    200,
    invalid("a body must not be nested more than 100 levels deep"),
  ],
  [
    "a body of a million brackets",
    nested(1_000_000),
    200,
    invalid("a body must not be nested more than 100 levels deep"),
  ],
];

const notParsed: Row[] = [
  ["an empty body", "", 400, failed(-32700, "Parse error: Request body is empty; send a JSON object.")],
  ["a cut body", '{"jsonrpc":"2.0","id":1', 400, failed(-32700, "Parse error: Request body is not valid JSON.")],
  ["no JSON", "hello", 400, failed(-32700, "Parse error: Request body is not valid JSON.")],
  ["two values", `${echo("1")}${echo("2")}`, 400, failed(-32700, "Parse error: Request body is not valid JSON.")],
  ["a trailing comma", '{"jsonrpc":"2.0",}', 400, failed(-32700, "Parse error: Request body is not valid JSON.")],
  ["a cut batch", `[${echo("1")}`, 400, failed(-32700, "Parse error: Request body is not valid JSON.")],
  ["no UTF-8", Buffer.from([0x22, 0xff, 0x22]), 400, failed(-32700, utf8)],
  [
    "a million open brackets",
    "[".repeat(1_000_000),
    400,
    failed(-32700, "Parse error: Request body is not valid JSON."),
  ],
];

const silent: Row[] = [
  ["a notification", '{"jsonrpc":"2.0","method":"notifications/initialized"}', 204, undefined],
  ["a notification of any method is not run", '{"jsonrpc":"2.0","method":"defect"}', 204, undefined],
  ["a notification with params", '{"jsonrpc":"2.0","method":"x","params":[1]}', 204, undefined],
  ["a response", '{"jsonrpc":"2.0","id":1,"result":{}}', 204, undefined],
  ["an error response", '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}', 204, undefined],
  ["a batch of notifications", '[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]', 204, undefined],
  ["a batch of responses", '[{"jsonrpc":"2.0","id":1,"result":{}}]', 204, undefined],
];

const batches: Row[] = [
  ["an empty batch", "[]", 200, invalid("a batch must not be empty")],
  ["a batch of one", `[${echo("1")}]`, 200, `[${echoed("1")}]`],
  [
    "replies in the order of requests",
    `[${echo("2")},${echo('"b"')},${echo("null")}]`,
    200,
    `[${echoed("2")},${echoed('"b"')},${echoed("null")}]`,
  ],
  ["ids that are the same", `[${echo("1")},${echo("1")}]`, 200, `[${echoed("1")},${echoed("1")}]`],
  [
    "large ids, each with its own text",
    `[${echo("1e400")},${echo("1")},${echo("2e400")}]`,
    200,
    `[${echoed("1e400")},${echoed("1")},${echoed("2e400")}]`,
  ],
  ["a notification is left out", `[{"jsonrpc":"2.0","method":"a"},${echo("1")}]`, 200, `[${echoed("1")}]`],
  [
    "invalid members are answered one by one",
    `[1,${echo("1")},{}]`,
    200,
    `[${invalid("a request must be a JSON object")},${echoed("1")},${invalid('jsonrpc must be "2.0"')}]`,
  ],
  ["a batch in a batch", "[[]]", 200, `[${invalid("a request must be a JSON object")}]`],
  [
    "an error beside a result",
    `[{"jsonrpc":"2.0","id":1,"method":"refused"},${echo("2")}]`,
    200,
    `[${failed(-32602, "Project not found: x", "1")},${echoed("2")}]`,
  ],
  [
    "as many as allowed",
    `[${Array.from({ length: 100 }, (_, id) => echo(`${id}`)).join(",")}]`,
    200,
    `[${Array.from({ length: 100 }, (_, id) => echoed(`${id}`)).join(",")}]`,
  ],
  [
    "one more than allowed",
    `[${Array.from({ length: 101 }, () => "1").join(",")}]`,
    200,
    invalid("a batch must not have more than 100 members"),
  ],
];

describe.each([
  ["ids", ids],
  ["requests", singles],
  ["errors", errors],
  ["bodies that are not JSON", notParsed],
  ["nothing to say", silent],
  ["batches", batches],
])("%s", (_group, rows) => {
  test.each(rows)("%s", async (_name, body, ...[status, reply]) => {
    const replied = await answer(body);
    expect({ status: replied.status, body: textOf(replied)?.replace(/ \(at character \d+\)/, "") }).toEqual({
      status,
      body: reply,
    });
  });
});

test("a batch runs its requests concurrently, up to a bound", async () => {
  let running = 0;
  let most = 0;
  const body = Buffer.from(`[${Array.from({ length: 50 }, (_, id) => echo(`${id}`)).join(",")}]`);
  const slow: JsonRpcDispatcher<undefined> = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
  };
  await answerJsonRpc(body, { dispatch: slow, context: undefined, onFailure: () => {} });
  expect(most).toBe(jsonRpcBounds.batchConcurrencyMax);
});

test("replies are in the order of the requests, also when a later one is ready first", async () => {
  const ticks: Record<string, number> = { slow: 5, quick: 0 };
  const delayed: JsonRpcDispatcher<undefined> = async (method) => {
    for (let tick = 0; tick < (ticks[method] ?? 0); tick++) await new Promise((resolve) => setImmediate(resolve));
    return method;
  };
  const body = Buffer.from('[{"jsonrpc":"2.0","id":1,"method":"slow"},{"jsonrpc":"2.0","id":2,"method":"quick"}]');
  const reply = await answerJsonRpc(body, { dispatch: delayed, context: undefined, onFailure: () => {} });
  expect(JSON.parse(textOf(reply) ?? "")).toMatchObject([
    { id: 1, result: "slow" },
    { id: 2, result: "quick" },
  ]);
});

test.each([
  ["defect", ["internal"]],
  ["refused", []],
  ["upstream", []],
])("an error that the answer to %s hides from the caller is logged", async (method, expected) => {
  const codes: string[] = [];
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}"}`);
  await answerJsonRpc(body, { dispatch, context: "", onFailure: (err) => codes.push(err.code) });
  expect(codes).toEqual(expected);
});

test("any bytes are answered in the form of JSON-RPC", async () => {
  const json = fc.json({ maxDepth: 4 });
  const envelope = fc.record(
    {
      jsonrpc: fc.oneof(fc.constant("2.0"), fc.jsonValue()),
      id: fc.jsonValue(),
      method: fc.oneof(fc.constantFrom("echo", "refused", "defect", "upstream"), fc.jsonValue()),
      params: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const envelopes = fc.oneof(envelope, fc.array(envelope)).map((value) => JSON.stringify(value));
  const bodies = fc.oneof(
    json,
    envelopes,
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const replied = await answer(body);
      const { status } = replied;
      const text = textOf(replied);
      expect([200, 204, 400]).toContain(status);
      expect(text === undefined).toBe(status === 204);
      const replies: unknown = text === undefined ? [] : JSON.parse(text);
      for (const reply of Array.isArray(replies) ? replies : [replies]) {
        expect(reply).toMatchObject({ jsonrpc: "2.0" });
        expect(reply).toHaveProperty("id");
      }
    }),
    { numRuns: 500 },
  );
});

test("an error before any dispatch is reported to a listener once", async () => {
  const seen: number[] = [];
  const onInvalid = ({ code }: JsonRpcError) => seen.push(code);
  const listen = async (text: string) => {
    seen.length = 0;
    await answerJsonRpc(Buffer.from(text), { dispatch, context: "ctx", onFailure: () => {}, onInvalid });
    return [...seen];
  };
  expect(await listen("{")).toEqual([-32700]);
  expect(await listen("[]")).toEqual([-32600]);
  expect(await listen(`[1,${echo("1")},{"id":2}]`)).toEqual([-32600, -32600]);
  expect(await listen(echo("1"))).toEqual([]);
});

test.each([
  ["one request", '{"jsonrpc":"2.0","id":"x","method":"echo","params":{"a":1,"\\u0061":2}}', '"x"'],
  ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"echo","method":"ping"}]', "null"],
])("equal keys are refused where the server asks for it: %s", async (_name, body, id) => {
  const dispatch = vi.fn<() => Promise<unknown>>();
  const onInvalid = vi.fn<() => void>();
  const options = { dispatch, context: undefined, onFailure: () => {}, onInvalid, distinctKeys: true };
  const reply = await answerJsonRpc(Buffer.from(body), options);
  const message = "Request body must not have the same key twice in one object.";
  const error = `{"code":-32602,"message":"${message}"}`;
  expect(reply).toEqual({ status: 200, body: `{"jsonrpc":"2.0","id":${id},"error":${error}}` });
  expect(dispatch).not.toHaveBeenCalled();
  expect(onInvalid).toHaveBeenCalledOnce();
});
