import assert from "node:assert/strict";
import { answerJsonRpc } from "@gatehouse/json-rpc";
import { textOf } from "@gatehouse/json-rpc/testing";
import { createMcpDispatcher } from "../src/index.ts";

const envelope = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"a":1}}}';
const call = '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t","arguments":{"a":[1]}}}';

const dispatch = createMcpDispatcher({
  name: "Fuzz",
  listTools: async () => [],
  callTool: async () => ({ content: [], isError: false }),
});

/** Never rejects; every answer is readable for a client. */
async function answerBody(bytes: Buffer): Promise<void> {
  const reply = await answerJsonRpc(bytes, { dispatch, context: undefined, onFailure: () => {}, keepsParams: true });
  const text = textOf(reply);
  assert.equal(text === undefined, reply.status === 204);
  if (text === undefined) return;
  const answers = [JSON.parse(text) as unknown].flat() as { readonly jsonrpc?: unknown }[];
  for (const answer of answers) assert.equal(answer.jsonrpc, "2.0");
}

export const fuzzTargets = [
  {
    name: "mcp-body",
    seeds: [envelope, call, `[${envelope},${call},{"jsonrpc":"2.0","method":"notifications/initialized"}]`],
    words: ['"id":', '"method":"ping"', '"id":null', '"id":12345678901234567890', '"params":[]', "tools/call"],
    run: answerBody,
    isDeclared: () => false,
  },
];
