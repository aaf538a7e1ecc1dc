import { readAuditEvent } from "@gatehouse/audit";
import type { Consumer, StreamMessage } from "@gatehouse/events";

const batchSizeMax = 200;

/** Consumer that deletes the sessions of deleted tokens. Idempotent, so events need not be remembered. */
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
  // All events of the gateway arrive here, and few concern deleted tokens.
  if (!body.includes('"token.deleted"')) return [];
  const event = readAuditEvent(body);
  // An invalid message is skipped: refused, it would be redelivered forever.
  if (event instanceof Error || event.event !== "token.deleted") return [];
  const tokenId = event.metadata["token_id"];
  return typeof tokenId === "number" && Number.isInteger(tokenId) ? [tokenId] : [];
}
