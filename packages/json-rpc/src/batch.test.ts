import { expect, test } from "vitest";
import { answerJsonRpc } from "./answer.ts";
import { jsonRpcBounds } from "./dispatch.ts";
import { JsonText } from "./json.ts";
import { textOf } from "./testing.ts";

interface Member {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const request = (id: number, method = "tools/call") => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;

/** A batch of `count` requests whose replies have about `replyBytes` each, and the methods that ran. */
async function answer(count: number, replyBytes: number, method?: string) {
  const run: string[] = [];
  const bounds = { ...jsonRpcBounds, batchReplyBytesMax: 1_000_000 };
  const large = new JsonText(`"${"x".repeat(replyBytes)}"`);
  const body = `[${Array.from({ length: count }, (_, id) => request(id, method)).join(",")}]`;
  const reply = await answerJsonRpc(Buffer.from(body), {
    dispatch: async (name) => {
      await Promise.resolve();
      run.push(name);
      return large;
    },
    context: undefined,
    onFailure: () => {},
    bounds,
    sharedMethods: new Set(["tools/list"]),
  });
  const text = textOf(reply) ?? "";
  return { members: JSON.parse(text) as readonly Member[], bytes: Buffer.byteLength(text), run };
}

test("the replies of a batch have bounded bytes, and every request has a reply", async () => {
  const { members, bytes, run } = await answer(100, 300_000);
  expect(bytes).toBeLessThan(1_100_000);
  expect(members.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, id) => id));
  const messages = members.map(({ error }) => error?.message);
  expect(messages.filter((message) => message === undefined).length).toBe(3);
  expect(messages).toContain(
    "A batch is answered with at most 1000000 bytes, and its reply does not fit. Send this request by itself.",
  );
  expect(messages.at(-1)).toBe(
    "A batch is answered with at most 1000000 bytes, and the request was not run. Send this request by itself.",
  );
  // Requests over the bound do not run, except those under way.
  expect(run.length).toBeLessThanOrEqual(3 + jsonRpcBounds.batchConcurrencyMax);
});

test("a reply above the bound of a batch is sent if it is the first", async () => {
  const { members } = await answer(2, 2_000_000);
  expect(members.map(({ error }) => error?.code)).toEqual([undefined, -32603]);
});

test("the lists of one batch are built once", async () => {
  const { members, run } = await answer(50, 10, "tools/list");
  expect(run).toEqual(["tools/list"]);
  expect(members.every(({ result }) => result === "x".repeat(10))).toBe(true);
});
