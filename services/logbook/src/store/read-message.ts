import type { StreamMessage } from "@gatehouse/events";
import { membersOf } from "@gatehouse/gateway-log";
import { checkMembers, parseMessage, type ParsedMessage } from "../domain/log-entry.ts";

/** Reads a message of the gateway log: entries of this process as they are, others from the message's body. */
export function readMessage(message: StreamMessage): ParsedMessage {
  const members = membersOf(message);
  return members === undefined ? parseMessage(message.body) : checkMembers(members);
}
