import type { IncomingMessage } from "node:http";
import { type BodyBounds, parseJsonBody, readDecodedBody } from "@gatehouse/http";
import { isLarge, nextTurn } from "@gatehouse/pace";
import type { ChatRequest } from "@gatehouse/dialects";

/** Reads, parses and checks a body; other requests have their turn before a large one is parsed, and after. */
export async function readRequest(
  req: IncomingMessage,
  bounds: BodyBounds,
  parse: (body: unknown) => ChatRequest,
): Promise<ChatRequest> {
  const bytes = await readDecodedBody(req, bounds);
  const parsed = parseJsonBody(bytes);
  const { value } = parsed instanceof Promise ? await parsed : parsed;
  if (isLarge(bytes.length)) await nextTurn();
  return { ...parse(value), bodyBytes: bytes.length };
}
