/** Mock provider for machines without a C compiler. Same behaviour as `native/mock-provider.c`, which explains it. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const usage = { prompt_tokens: 12, completion_tokens: 50, total_tokens: 62 };
const chunkHead = { id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_700_000_000, model: "bench" };
const sentence =
  "gate-ok The gate is open from eight in the morning until six in the evening, and the keeper will ask for your name and for the purpose of your visit.";
/** Prompts from this length on are billed by size: the gateway counts tokens and would doubt a bill of 12. */
const billedLengthMin = 64 * 1024;
const lettersPerToken = 4;
const chatReply = toReply(usage.prompt_tokens);
const firstEvent = toEvent([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]);
const contentEvent = toEvent([{ index: 0, delta: { content: "gate " }, finish_reason: null }]);
const lastEvents = `${toEvent([{ index: 0, delta: {}, finish_reason: "stop" }])}data: ${JSON.stringify({ ...chunkHead, choices: [], usage })}\n\ndata: [DONE]\n\n`;
const stats = { requests: 0, streamsOpened: 0, streamsCompleted: 0, streamsAborted: 0 };

const server = createServer((req, res) => {
  if (req.url === "/stats") {
    res.end(JSON.stringify(stats));
    return;
  }
  let body = "";
  req.setEncoding("utf8");
  req.on("data", (text: string) => (body += text));
  req.on("end", () => answer(body, res));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(`listening ${(server.address() as AddressInfo).port}`));
process.stdin.on("end", () => process.exit(0)).resume();

function answer(body: string, res: ServerResponse): void {
  stats.requests++;
  const { model, stream } = JSON.parse(body) as { model?: string; stream?: boolean };
  if (stream !== true) {
    const reply = body.length < billedLengthMin ? chatReply : toReply(Math.floor(body.length / lettersPerToken));
    res.writeHead(200, { "content-type": "application/json", "content-length": reply.length }).end(reply);
    return;
  }
  const [, chunks = "10", paceMs = "0"] = /^stream-(\d{1,4})-(\d{1,5})$/.exec(model ?? "") ?? [];
  stats.streamsOpened++;
  res.once("close", () => (res.writableFinished ? stats.streamsCompleted++ : stats.streamsAborted++));
  res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  if (paceMs === "0") res.end(firstEvent + contentEvent.repeat(Number(chunks)) + lastEvents);
  else sendPaced(res, Number(chunks), Number(paceMs));
}

function toReply(promptTokens: number): Buffer {
  const { completion_tokens } = usage;
  return Buffer.from(
    JSON.stringify({
      ...chunkHead,
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: sentence }, logprobs: null, finish_reason: "stop" }],
      usage: { prompt_tokens: promptTokens, completion_tokens, total_tokens: promptTokens + completion_tokens },
      system_fingerprint: "fp_bench",
    }),
  );
}

function sendPaced(res: ServerResponse, chunks: number, paceMs: number): void {
  const startedAt = performance.now();
  let sent = 1;
  res.write(firstEvent + contentEvent);
  const next = () => {
    if (res.destroyed) return;
    if (sent++ === chunks) {
      res.end(lastEvents);
      return;
    }
    res.write(contentEvent);
    schedule();
  };
  const schedule = () => setTimeout(next, Math.max(0, startedAt + sent * paceMs - performance.now()));
  schedule();
}

function toEvent(choices: readonly object[]): string {
  return `data: ${JSON.stringify({ ...chunkHead, choices })}\n\n`;
}
