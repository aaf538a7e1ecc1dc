import { setTimeout as delay } from "node:timers/promises";
import { lapse } from "@gatehouse/async/testing";
import { mcpServer, replyJson, type Script, ScriptedProvider, ScriptedUpstream } from "@gatehouse/e2e";

/** Servers behind the gateway. */
export interface Upstreams {
  readonly provider: ScriptedProvider;
  /** An MCP server for POST, and an API for GET. */
  readonly server: ScriptedUpstream;
  stop(): Promise<void>;
}

export async function startUpstreams(): Promise<Upstreams> {
  const provider = await ScriptedProvider.start();
  provider.play(answerLikeProvider);
  const tools = mcpServer({
    tools: [{ name: "add", inputSchema: { type: "object" } }],
    call: () => ({ result: { content: [] } }),
  });
  const server = await ScriptedUpstream.start((request, res) =>
    request.method === "GET" ? replyJson(200, { ok: true })(request, res) : tools(request, res),
  );
  const stop = async () => void (await Promise.all([provider.stop(), server.stop()]));
  return { provider, server, stop };
}

/** Duration of the provider's answer, and of a stream from its first to its last word. */
const answerMs = 10;
const streamMs = 600;
const streamWordsMax = 6;

const answerLikeProvider: Script = async ({ body }, res) => {
  await lapse(answerMs, "time of the provider's answer");
  const frame = { id: "x", created: 1, model: body.model };
  if (body["stream"] !== true) {
    const message = { role: "assistant", content: "coo" };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    res.writeHead(200, { "content-type": "application/json" });
    res.end(
      JSON.stringify({
        ...frame,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage,
      }),
    );
    return;
  }
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (let word = 0; word <= streamWordsMax && !res.destroyed; word += 1) {
    const isLast = word === streamWordsMax;
    const choice = { index: 0, delta: isLast ? {} : { content: "coo " }, finish_reason: isLast ? "stop" : null };
    res.write(`data: ${JSON.stringify({ ...frame, object: "chat.completion.chunk", choices: [choice] })}\n\n`);
    await delay(streamMs / streamWordsMax);
  }
  res.end("data: [DONE]\n\n");
};
