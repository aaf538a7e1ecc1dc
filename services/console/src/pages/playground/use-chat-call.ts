import { useEffect, useRef, useState } from "react";
import { CallError } from "../../api/call-error.ts";
import { notReached } from "../../api/session.ts";
import type { ChatCall } from "./chat-body.ts";
import { type ChatReply, noReply, readPart, ToolCalls } from "./chat-reply.ts";
import { readEvents } from "./read-events.ts";

const lostWords = "The connection to the gateway was lost in the middle of the answer. Send the message again.";

/**
 * One call at a time, shown as it arrives; `stop` ends it like a client that leaves.
 * @param of uuid of the called endpoint; a call to another one is stopped and no longer shown
 */
export function useChatCall(of: string) {
  const [shown, setShown] = useState<{ readonly of: string; readonly reply: ChatReply }>();
  const running = useRef<{ readonly of: string; readonly abort: AbortController }>(undefined);
  const stop = () => running.current?.abort.abort();
  useEffect(
    () => () => {
      if (running.current?.of === of) running.current.abort.abort();
    },
    [of],
  );
  const send = async (call: ChatCall, token: string): Promise<ChatReply> => {
    stop();
    const abort = new AbortController();
    running.current = { of, abort };
    let last = noReply;
    const show = (change: Partial<ChatReply>) => {
      last = { ...last, ...change };
      if (running.current?.abort === abort) setShown({ of, reply: last });
    };
    show({});
    await run({ call, token, signal: abort.signal, show }).catch((err: unknown) => {
      if (abort.signal.aborted) show({ state: "stopped" });
      else show({ state: "failed", error: err instanceof Error ? err.message : String(err) });
    });
    return last;
  };
  const reply = shown?.of === of ? shown.reply : undefined;
  const isRunning = reply?.state === "waiting" || reply?.state === "answering";
  const clear = () => {
    // A stopped call reports its end later.
    running.current = undefined;
    setShown(undefined);
  };
  return { reply, isRunning, send, stop, clear };
}

interface Run {
  readonly call: ChatCall;
  readonly token: string;
  readonly signal: AbortSignal;
  readonly show: (change: Partial<ChatReply>) => void;
}

async function run({ call: { path, headers, body }, token, signal, show }: Run): Promise<void> {
  const startedAt = performance.now();
  const passed = () => performance.now() - startedAt;
  const reply = await fetch(path, {
    method: "POST",
    credentials: "omit",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal,
  }).catch((err: unknown) => (signal.aborted ? Promise.reject(err as Error) : notReached()));
  show({ status: reply.status, requestId: reply.headers.get("x-request-id") ?? undefined });
  const isStream = reply.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const parts = isStream && reply.body !== null ? readEvents(reply.body) : [await reply.text().catch(brokenOff)];
  const tools = new ToolCalls();
  let text = "";
  let firstWordMs: number | undefined;
  let error: string | undefined;
  let isWhole = !isStream;
  for await (const json of endingInWords(parts)) {
    if (json === "[DONE]") {
      isWhole = true;
      break;
    }
    const part = readPart(json);
    tools.add(part.toolCalls);
    text += part.text;
    error = part.error ?? error;
    if (part.text !== "" || part.toolCalls.length > 0) firstWordMs ??= passed();
    show({ state: "answering", text, toolCalls: tools.text, firstWordMs });
  }
  // An intermediary, such as a proxy, may end a stream as if it were complete.
  if (!isWhole) error ??= lostWords;
  show({ state: error === undefined ? "done" : "failed", error, durationMs: passed() });
}

/** Passes parts on, and replaces the browser's error for a lost connection, which is unclear to people. */
async function* endingInWords(parts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  try {
    yield* parts;
  } catch {
    brokenOff();
  }
}

function brokenOff(): never {
  throw new CallError(lostWords, { status: 0 });
}
