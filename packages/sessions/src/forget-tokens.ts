import type { AuditEvent } from "@gatehouse/audit";
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
  const { event, metadata } = parse(body);
  const tokenId = metadata?.["token_id"];
  return event === "token.deleted" && typeof tokenId === "number" && Number.isInteger(tokenId) ? [tokenId] : [];
}

/** A message that is no event is left out: refused, it would come back for ever. */
function parse(body: string): Partial<AuditEvent> {
  try {
    return (JSON.parse(body) as Partial<AuditEvent> | null) ?? {};
  } catch {
    return {};
  }
}
