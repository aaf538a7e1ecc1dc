import type { ServerResponse } from "node:http";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { chunk, event, type Script } from "../../src/scripted-provider.ts";

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** Text and usage of a provider, which identify it in answers and bills. */
export interface Voice {
  readonly words: readonly string[];
  readonly usage: Usage;
}

export const voices = {
  primary: {
    words: ["The primary ", "has said ", "all of this."],
    usage: { prompt_tokens: 11, completion_tokens: 9, total_tokens: 20 },
  },
  backup: {
    words: ["The backup ", "has said ", "all of that."],
    usage: { prompt_tokens: 7, completion_tokens: 8, total_tokens: 15 },
  },
} as const satisfies Record<string, Voice>;

const frame = { id: "chatcmpl-faults", created: 1_700_000_000, model: "m" };
const { words, usage } = voices.primary;

/** A faultless answer, streamed where a stream is asked for. */
export function whole(voice: Voice, finishReason = "stop"): Script {
  return async (request, res) => {
    if (request.body["stream"] !== true) {
      begin(res, "application/json").end(completion(voice, finishReason));
      return;
    }
    beginStream(res);
    for (const word of voice.words) {
      res.write(chunk({ content: word }));
      await setImmediate();
    }
    finish(res, voice, finishReason);
  };
}

/** A faultless stream with a pause before each word. */
export function slowly(pauseMs: number): Script {
  return async (_request, res) => {
    beginStream(res);
    for (const word of words) {
      await delay(pauseMs);
      res.write(chunk({ content: word }));
    }
    await delay(pauseMs);
    finish(res, voices.primary, "stop");
  };
}

function finish(res: ServerResponse, voice: Voice, finishReason: string): void {
  res.write(chunk({}, finishReason));
  res.write(event({ ...frame, object: "chat.completion.chunk", choices: [], usage: voice.usage }));
  res.end(event("[DONE]"));
}

function completion(voice: Voice, finishReason: string): string {
  const message = { role: "assistant", content: voice.words.join("") };
  const choices = [{ index: 0, message, finish_reason: finishReason }];
  return JSON.stringify({ ...frame, object: "chat.completion", choices, usage: voice.usage });
}

function begin(res: ServerResponse, type: string): ServerResponse {
  return res.writeHead(200, { "content-type": type });
}

function beginStream(res: ServerResponse): void {
  begin(res, "text/event-stream").write(chunk({ role: "assistant", content: "" }));
}

/** Flushes written data before the next step. */
async function flushed(res: ServerResponse, bytes: string): Promise<void> {
  await new Promise((resolve) => {
    res.write(bytes, resolve);
  });
}

export const resetConnection: Script = (_request, res) => void res.socket?.resetAndDestroy();

/** Half of a complete answer; `then` continues with the fault. */
export function halfOfJson(then: (res: ServerResponse) => void): Script {
  return async (_request, res) => {
    const text = completion(voices.primary, "stop");
    await flushed(begin(res, "application/json"), text.slice(0, text.length / 2));
    then(res);
  };
}

/** Start of a stream, with output or with its head and role only; `then` continues with the fault. */
export function beginningOfStream(
  output: "with output" | "without output",
  then: (res: ServerResponse) => void,
): Script {
  return async (_request, res) => {
    beginStream(res);
    await flushed(res, output === "with output" ? chunk({ content: words[0] }) : ": waiting\n\n");
    then(res);
  };
}

export const broken = (res: ServerResponse): void => void res.destroy();
export const stalled = (): void => {};
/** Sends the same bytes repeatedly, far more often than any time-out. */
export function drips(bytes: string): (res: ServerResponse) => void {
  return (res) => {
    const timer = setInterval(() => res.write(bytes), 50);
    res.once("close", () => clearInterval(timer));
  };
}

export const endedEarly = (res: ServerResponse): void => void res.end();
export const endedByMark = (res: ServerResponse): void => void res.end(event("[DONE]"));
export const malformed = (res: ServerResponse): void => void res.end('data: {"choices": [{"del\n\ndata: [DONE]\n\n');

/** An error event, followed by a seemingly ordinary end. */
export function failing(error: object): (res: ServerResponse) => void {
  return (res) => {
    res.write(event({ error }));
    res.write(chunk({}, "stop"));
    res.end(event("[DONE]"));
  };
}

/** The whole text with its finish, but no `[DONE]`: the connection is closed or lost. */
export function withoutMark(then: (res: ServerResponse) => void): Script {
  return async (_request, res) => {
    beginStream(res);
    for (const word of words) res.write(chunk({ content: word }));
    res.write(chunk({}, "stop"));
    await flushed(res, event({ ...frame, object: "chat.completion.chunk", choices: [], usage }));
    then(res);
  };
}

export function jsonUnder200(text: string): Script {
  return (_request, res) => void begin(res, "application/json").end(text);
}

export const page: Script = (_request, res) => void begin(res, "text/html").end("<html>Sign in</html>");

/** Waits before anything is sent. */
export function after(ms: number, script: Script): Script {
  return async (request, res) => {
    await delay(ms);
    await script(request, res);
  };
}
