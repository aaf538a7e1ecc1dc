import { checkJsonInSlices, type JsonBounds, JsonRefusal } from "@gatehouse/json";
import { isLarge, nextTurn } from "@gatehouse/pace";
import type { Exchange } from "../exchange/exchange.ts";
import { ProviderError } from "../provider.ts";

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
 * Reads a whole reply and checks it against the bounds, in slices. Its bytes are passed on as they are: of 8 MB, each copy or
 * encoding takes milliseconds.
 * @throws ProviderError `malformed` where it exceeds them
 */
export async function readWholeReply(exchange: Exchange, provider: string): Promise<Buffer> {
  const bytes = await exchange.readAll(wholeReplyBytesMax);
  try {
    await checkJsonInSlices(bytes.toString("utf8"), wholeReplyBounds);
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    // The package itself refuses a text that is not JSON.
    if (err.kind !== "malformed") {
      const problem = `${provider} sent a reply that exceeds a bound of the gateway: it ${err.clause}`;
      throw new ProviderError("malformed", problem);
    }
  }
  return bytes;
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
