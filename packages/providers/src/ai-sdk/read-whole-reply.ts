import { checkJsonInSlices, type JsonBounds, JsonRefusal } from "@gatehouse/json";
import { isLarge, nextTurn } from "@gatehouse/pace";
import { fromErrorEvent } from "../exchange/error-reply.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { asRecord, readReplyJson } from "../exchange/json.ts";
import { findReplyError } from "../openai/find-reply-error.ts";
import { ProviderError } from "../provider.ts";
import type { ReplyView } from "./reply-view.ts";

/** Longest reply that a package gets, bytes: it decodes, parses and validates a reply in one go, up to 30 ms for this size. */
export const wholeReplyBytesMax = 8 * 1024 * 1024;
/**
 * Bounds of the values that are most expensive for a package's schema, set by the same 30 ms. The vectors of `textsPerCallMax`
 * texts fit (`to-embeddings.ts`).
 */
const wholeReplyBounds: JsonBounds = {
  depthMax: 128,
  valuesMax: 300_000,
  containersMax: 20_000,
  membersMax: 80_000,
  objectMembersMax: 10_000,
  keyLengthMax: 64 * 1024,
};

/**
 * Reads a whole reply, checks it against the bounds in slices, and gives the view of it that the provider's package gets.
 * @throws ProviderError `malformed` where it exceeds them; the provider's error where it is one under a status of success
 */
export async function readWholeReply(
  exchange: Exchange,
  { provider, secrets, view }: WholeReplyOptions,
): Promise<Buffer> {
  const bytes = await exchange.readAll(wholeReplyBytesMax);
  const text = bytes.toString("utf8");
  await checkBounds(text, provider);
  const reply = asRecord(await readReplyJson(text));
  if (reply === undefined) return bytes;
  // Packages know no errors under a status of success: they refuse the reply's form, or find an empty answer.
  const error = toError(reply, provider, secrets);
  if (error !== undefined) throw error;
  const shown = view.whole(reply);
  return shown === reply ? bytes : Buffer.from(JSON.stringify(shown));
}

interface WholeReplyOptions {
  readonly provider: string;
  /** Removed from all messages. */
  readonly secrets: readonly string[];
  readonly view: Pick<ReplyView, "whole">;
}

function toError(reply: unknown, provider: string, secrets: readonly string[]): ProviderError | undefined {
  if (asRecord(reply)?.object === "error") return fromErrorEvent(provider, reply, secrets);
  return findReplyError(provider, reply, secrets);
}

async function checkBounds(text: string, provider: string): Promise<void> {
  try {
    await checkJsonInSlices(text, wholeReplyBounds);
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    // The package itself refuses a text that is not JSON.
    if (err.kind !== "malformed") {
      const problem = `${provider} sent a reply that exceeds a bound of the gateway: it ${err.clause}`;
      throw new ProviderError("malformed", problem);
    }
  }
}

/** Body of one piece. A large one is read in a separate turn of the event loop, since a package decodes and parses it at once. */
export function bodyInOnePiece(bytes: Buffer): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (isLarge(bytes.length)) await nextTurn();
        if (bytes.length > 0) controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
