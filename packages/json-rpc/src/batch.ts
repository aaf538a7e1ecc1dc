import { nextTurn } from "@gatehouse/pace";
import {
  type DispatchOptions,
  type EnvelopeReply,
  answerEnvelope,
  errorReply,
  type JsonRpcBounds,
} from "./dispatch.ts";
import type { Envelope } from "./envelope.ts";
import { JsonRpcError, jsonRpcErrorCodes } from "./json-rpc-error.ts";

interface BatchOptions<Context> extends DispatchOptions<Context> {
  /** Methods with the same answer for every request of the batch; answered once. */
  readonly sharedMethods?: ReadonlySet<string>;
}

/** Replies of a batch in the order of its requests; undefined where there is none. */
export async function answerBatch<Context>(
  envelopes: readonly Envelope[],
  { batchConcurrencyMax, batchReplyBytesMax }: JsonRpcBounds,
  options: BatchOptions<Context>,
): Promise<EnvelopeReply | undefined> {
  const room = new ReplyRoom(batchReplyBytesMax);
  const shared = { ...options, dispatch: shareAnswers(options) };
  const replies = await mapBounded(envelopes, batchConcurrencyMax, async (envelope) => {
    if (envelope.kind === "request" && room.isFull) return room.refuse(envelope.id, "the request was not run");
    return room.fit("id" in envelope ? envelope.id : "null", await answerEnvelope(envelope, shared));
  });
  const pieces = replies.filter((reply) => reply !== undefined).flatMap((reply) => [",", reply].flat());
  if (pieces.length === 0) return undefined;
  return joinTexts(["[", ...pieces.slice(1), "]"]);
}

/** Joins adjacent texts; only large pieces stay separate. */
function joinTexts(pieces: readonly (string | Buffer)[]): EnvelopeReply {
  const joined: (string | Buffer)[] = [];
  let texts: string[] = [];
  for (const piece of pieces) {
    if (typeof piece === "string") texts.push(piece);
    else {
      joined.push(texts.join(""), piece);
      texts = [];
    }
  }
  const rest = texts.join("");
  return joined.length === 0 ? rest : [...joined, rest];
}

/** Remaining bytes for a batch's replies. The first reply is sent whatever its size, as if it were alone. */
class ReplyRoom {
  readonly #bytesMax: number;
  #bytes = 0;
  isFull = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  fit(id: string, reply: EnvelopeReply | undefined): EnvelopeReply | undefined {
    if (reply === undefined) return undefined;
    const bytes = sizeOf(reply);
    if (this.#bytes > 0 && this.#bytes + bytes > this.#bytesMax) {
      this.isFull = true;
      return this.refuse(id, "its reply does not fit");
    }
    this.#bytes += bytes;
    return reply;
  }

  refuse(id: string, reason: string): string {
    const message = `A batch is answered with at most ${this.#bytesMax} bytes, and ${reason}. Send this request by itself.`;
    return errorReply(id, new JsonRpcError(jsonRpcErrorCodes.internalError, message));
  }
}

function sizeOf(reply: EnvelopeReply): number {
  return typeof reply === "string"
    ? Buffer.byteLength(reply)
    : reply.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

function shareAnswers<Context>({
  dispatch,
  sharedMethods,
}: BatchOptions<Context>): DispatchOptions<Context>["dispatch"] {
  const answers = new Map<string, Promise<unknown>>();
  return async (method, params, context) => {
    if (sharedMethods?.has(method) !== true) return await dispatch(method, params, context);
    const answer = answers.get(method) ?? dispatch(method, params, context);
    answers.set(method, answer);
    return await answer;
  };
}

/** Items processed in one turn of the event loop. */
const stepItems = 8;

/** Runs `task` for each item, at most `concurrencyMax` at a time; results in the items' order. Tasks must not reject. */
async function mapBounded<T, R>(
  items: readonly T[],
  concurrencyMax: number,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length });
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) {
      results[index] = await task(item);
      if (index % stepItems === stepItems - 1) await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrencyMax, items.length) }, work));
  return results;
}
