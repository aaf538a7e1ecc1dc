import type { ServerRequest } from "../domain/json-rpc-answer.ts";
import type { Reply } from "../domain/judge-protocol-mode.ts";
import type { CallScope } from "./call-scope.ts";

/** A JSON-RPC request to an upstream, and the scope of waiting for its answer. */
export interface ChannelRequest {
  /** JSON text. */
  readonly id: string;
  /** JSON text of the envelope. */
  readonly envelope: string;
  readonly scope: CallScope;
  /** Headers of this request, besides the channel's. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One conversation with an upstream: a session, or requests without one. */
export interface Channel {
  /** Whether it began with a handshake. */
  readonly hadHandshake: boolean;
  /** @throws UpstreamFailure */
  send(request: ChannelRequest): Promise<Reply>;
  /** Sends a message without an answer. Failures are dropped. */
  notify(envelope: string): Promise<void>;
  /** Ends the session, if any. Never rejects; bounded in time. */
  close(): Promise<void>;
}

/** Concurrent answers to an upstream's own requests; further requests are not answered. */
const serverAnswersMax = 8;
/** Shortest time that an answer occupies a slot, so that a channel sends at most 32 answers per second. */
const serverAnswerMsMin = 250;

/** Answers an upstream's own requests: `ping`, and errors for all others, since this gateway declares no capabilities. */
export class ServerRequests {
  readonly #send: (envelope: string) => Promise<void>;
  readonly #pause: (ms: number) => Promise<void>;
  #underWay = 0;

  /** @param send must not reject @param pause for tests */
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

/** Does not keep the process alive. */
async function pauseInPassing(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref());
}
