import { contentOf } from "@gatehouse/dialects";
import type { ChatMessage } from "@gatehouse/providers";
import type { SessionStore, SessionTurn } from "@gatehouse/sessions";
import type { Admitted } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** Shared by all calls. `takeTurn` waits for earlier calls of a session, and rejects where it stays busy (503). */
export interface SessionStepOptions {
  readonly sessions: Pick<SessionStore, "takeTurn">;
  /** The part of a history that fits the endpoint's models. */
  readonly fit: (call: Admitted, history: readonly ChatMessage[]) => Promise<readonly ChatMessage[]>;
}

/**
 * Takes the call's turn in its session and loads the history; stores the request's messages and a complete answer together.
 * Precedes the steps that count the prompt, and refuses only sessions that stay busy for too long (503).
 */
export function createSessionStep(options: SessionStepOptions): Step<Admitted> {
  return {
    name: "session",
    enter(call) {
      const { sessionId } = call.request;
      return sessionId === undefined ? undefined : resume(call, sessionId, options);
    },
    leave(call, outcome) {
      const { session } = call;
      call.session = undefined;
      if (session === undefined) return undefined;
      return outcome.kind === "answered"
        ? session.commit(saidIn(call), newPlaceholders(call, session))
        : session.abandon();
    },
  };
}

async function resume(call: Admitted, sessionUuid: string, { sessions, fit }: SessionStepOptions): Promise<undefined> {
  const endpointUuid = call.compiled.endpoint.uuid;
  const key = { tokenId: call.principal.tokenId, endpointUuid, sessionUuid };
  call.session = await sessions.takeTurn(key, call.abort.signal);
  call.history = await fit(call, call.session.history);
  return undefined;
}

function saidIn(call: Admitted): readonly ChatMessage[] {
  const { messages } = call.request;
  const answer = call.maskedAnswer ?? call.answer ?? answerOf(call);
  // The session stores masked texts only.
  return [...messages, { role: "assistant", content: call.placeholders?.hide(answer) ?? answer }];
}

/** Undefined where the turn added none. */
function newPlaceholders({ placeholders }: Admitted, session: SessionTurn): SessionTurn["placeholders"] | undefined {
  const entries = placeholders?.entries ?? [];
  return entries.length > session.placeholders.length ? entries : undefined;
}

function answerOf({ reply }: Admitted): string {
  return reply?.kind === "complete" ? contentOf(reply.completion) : "";
}
