import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { lapse } from "@gatehouse/async/testing";

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: { readonly model: string; readonly messages: readonly unknown[]; readonly [field: string]: unknown };
  /** The raw body. */
  readonly text: string;
  /** Resolves when the gateway has closed the connection before the end of the reply. */
  readonly left: Promise<void>;
}

/** Answers one request. */
export type Script = (request: ReceivedRequest, res: ServerResponse) => void | Promise<void>;

/** An OpenAI-compatible provider whose answers are set by the test. */
export class ScriptedProvider {
  readonly received: ReceivedRequest[] = [];
  readonly #server: Server;
  #script: Script = answer("scripted");

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ScriptedProvider> {
    const server = createServer();
    const provider = new ScriptedProvider(server);
    server.on("request", (req, res) => void provider.#handle(req, res));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return provider;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Sets the answers from now on. */
  play(script: Script): void {
    this.#script = script;
    this.received.length = 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const text = await readBody(req);
    // Cut off, or from a stranger: a stopped product may still call a port that this provider has reused.
    if (text === undefined || text === "") return void res.writeHead(400).end();
    const left = new Promise<void>((resolve) => {
      res.once("close", () => {
        if (!res.writableFinished) resolve();
      });
    });
    const body = JSON.parse(text) as ReceivedRequest["body"];
    const received = { path: req.url ?? "", headers: req.headers, body, text, left };
    this.received.push(received);
    await this.#script(received, res);
  }
}

async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of req) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}

export const scriptedUsage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

/** Answers with a completion. */
export function answer(content: string): Script {
  return ({ body }, res) => {
    const message = { role: "assistant", content };
    res.writeHead(200, { "content-type": "application/json" });
    res.end(
      JSON.stringify({
        id: "chatcmpl-scripted",
        object: "chat.completion",
        created: 1_700_000_000,
        model: body.model,
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage: scriptedUsage,
      }),
    );
  };
}

/** Answers with JSON: an object, or the text of one. */
export function answerWith(reply: object | string): Script {
  return (_request, res) => {
    res.writeHead(200, { "content-type": "application/json" });
    res.end(typeof reply === "string" ? reply : JSON.stringify(reply));
  };
}

/** Answers with a completion that has this message. */
export function answerMessage(message: object, finishReason = "stop"): Script {
  return answerWith({
    id: "chatcmpl-scripted",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "m-2025",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finishReason, logprobs: null }],
    usage: scriptedUsage,
  });
}

/** Streams deltas, then the finish, then the usage. */
export function streamDeltas(deltas: readonly object[], finishReason = "stop"): Script {
  return (_request, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    for (const delta of deltas) res.write(chunk(delta));
    res.write(chunk({}, finishReason));
    const frame = { id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 1, model: "m" };
    res.write(event({ ...frame, choices: [], usage: scriptedUsage }));
    res.end(event("[DONE]"));
  };
}

/** Answers with an error status and an OpenAI-style error body. */
export function fail(status: number, message = "scripted failure", headers: Record<string, string> = {}): Script {
  return (_request, res) => {
    res.writeHead(status, { "content-type": "application/json", ...headers });
    res.end(JSON.stringify({ error: { message, type: "scripted" } }));
  };
}

/** One chunk of a stream, as the bytes of its event. */
export function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return event({
    id: "chatcmpl-scripted",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "m",
    choices,
  });
}

export function event(data: object | string): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** Milliseconds between words that the gateway should read separately. */
const apartMs = 40;

/** Streams words with usage at the end. Words sent together may be read as one text; separated ones are read individually. */
export function streamWords(words: readonly string[], comeApart = false): Script {
  return async (_request, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.write(chunk({ role: "assistant", content: "" }));
    for (const word of words) {
      res.write(chunk({ content: word }));
      if (comeApart) await lapse(apartMs, "each word is read by itself");
    }
    res.write(chunk({}, "stop"));
    res.write(
      event({
        id: "chatcmpl-scripted",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [],
        usage: scriptedUsage,
      }),
    );
    res.end(event("[DONE]"));
  };
}

/** Streams some words and then breaks the connection. */
export function streamThenCut(words: readonly string[]): Script {
  return async (_request, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    for (const word of words) res.write(chunk({ content: word }));
    await new Promise((resolve) => setImmediate(resolve));
    res.destroy();
  };
}

/** Never answers. */
export const silence: Script = () => {};
