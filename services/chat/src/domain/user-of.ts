import { toUserName } from "@gatehouse/principal";
import type { ChatRequest } from "./chat-request.ts";

/** Fields of a body by which OpenAI's clients name the person behind a call. */
const bodyFields = ["user", "safety_identifier"] as const;

/**
 * The person behind a call, as the application names them: in the header that is the gateway's, else in the body. Only the body's
 * fields go on to a provider, as parameters that they are.
 */
export function userOf(user: string | undefined, request: ChatRequest | undefined): string | undefined {
  if (user !== undefined || request === undefined) return user;
  return bodyFields.map((field) => toUserName(request.asSent[field])).find((name) => name !== undefined);
}
