import type { ServerRequest } from "../domain/json-rpc-answer.ts";
import type { Reply } from "../domain/judge-protocol-mode.ts";
import type { CallScope } from "./call-scope.ts";

/** A JSON-RPC request to an upstream, and the end of waiting for its answer. */
export interface ChannelRequest {
  /** JSON text. */
  readonly id: string;
  /** JSON text of the envelope. */
  readonly envelope: string;
  readonly scope: CallScope;
  /** Headers of this one request, beside the channel's own. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One conversation with an upstream: a session, or requests that belong to none. */
export interface Channel {
  /** Whether a handshake stands at its beginning. */
  readonly hadHandshake: boolean;
  /** @throws UpstreamFailure */
  send(request: ChannelRequest): Promise<Reply>;
  /** A message that gets no answer. Failures are dropped. */
  notify(envelope: string): Promise<void>;
  /** Ends the session, where there is one. Never rejects; bounded in time. */
  close(): Promise<void>;
}

/** Answers to requests of an upstream's own that are under way at a time; what it asks for beyond goes unanswered. */
const serverAnswersMax = 8;
/** Least time of an answer among those under way, also where its reply comes at once: so a channel sends 32 answers a second at most. */
const serverAnswerMsMin = 250;

/** Answers an upstream's own requests: `ping` must be answered; this gateway has declared no capability for anything else. */
export class ServerRequests {
  readonly #send: (envelope: string) => Promise<void>;
  readonly #pause: (ms: number) => Promise<void>;
  #underWay = 0;

  /** @param send Must not reject. @param pause for tests */
  constructor(send: (envelope: string) => Promise<void>, pause = pauseInPassing) {
    this.#send = send;
    this.#pause = pause;
  }

  answer({ id, method }: ServerRequest): void {
    if (this.#underWay >= serverAnswersMax) return;
    this.#underWay += 1;
    const refusal = '"error":{"code":-32601,"message":"The gateway does not offer this."}';
    const envelope = `{"jsonrpc":"2.0","id":${id},${method === "ping" ? '"result":{}' : refusal}}`;
    void Promise.all([this.#send(envelope), this.#pause(serverAnswerMsMin)]).finally(() => (this.#underWay -= 1));
  }
}

/** Keeps no process alive. */
async function pauseInPassing(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref());
}
