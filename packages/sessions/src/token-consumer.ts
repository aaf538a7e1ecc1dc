import { readAuditEvent } from "@gatehouse/audit";
import type { Consumer, StreamMessage } from "@gatehouse/events";

const batchSizeMax = 200;

/** Deletes what was said under tokens that are deleted. Doing so again is harmless, so nothing is remembered of an event. */
export function createTokenConsumer(forgetTokens: (tokenIds: readonly number[]) => Promise<void>): Consumer {
  return {
    stream: "audit",
    name: "chat",
    batchSizeMax,
    async store(messages) {
      const tokenIds = messages.flatMap(deletedToken);
      if (tokenIds.length > 0) await forgetTokens(tokenIds);
    },
  };
}

function deletedToken({ body }: StreamMessage): readonly number[] {
  // All events of the gateway come here, and few are about deleted tokens.
  if (!body.includes('"token.deleted"')) return [];
  const event = readAuditEvent(body);
  // A message that is no event is left out: refused, it would come back without end.
  if (event instanceof Error || event.event !== "token.deleted") return [];
  const tokenId = event.metadata["token_id"];
  return typeof tokenId === "number" && Number.isInteger(tokenId) ? [tokenId] : [];
}
