import type { IncomingMessage } from "node:http";
import { type BodyBounds, parseJsonBody, readDecodedBody } from "@gatehouse/http";
import type { ChatRequest } from "../domain/chat-request.ts";
import { isLargeBody, nextTurn } from "../domain/next-turn.ts";

/** Reads, parses and checks a body; other requests have their turn before a large one is parsed, and after. */
export async function readRequest(
  req: IncomingMessage,
  bounds: BodyBounds,
  parse: (body: unknown) => ChatRequest,
): Promise<ChatRequest> {
  const bytes = await readDecodedBody(req, bounds);
  if (isLargeBody(bytes.length)) await nextTurn();
  const body = parseJsonBody(bytes);
  if (isLargeBody(bytes.length)) await nextTurn();
  return { ...parse(body), bodyBytes: bytes.length };
}
