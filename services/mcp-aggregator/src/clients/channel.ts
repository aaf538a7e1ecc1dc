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

/** Answers an upstream's own requests: `ping` must be answered; this gateway has declared no capability for anything else. */
export class ServerRequests {
  readonly #send: (envelope: string) => Promise<void>;
  #underWay = 0;

  /** @param send Must not reject. */
  constructor(send: (envelope: string) => Promise<void>) {
    this.#send = send;
  }

  answer({ id, method }: ServerRequest): void {
    if (this.#underWay >= serverAnswersMax) return;
    this.#underWay += 1;
    const refusal = '"error":{"code":-32601,"message":"The gateway does not offer this."}';
    const envelope = `{"jsonrpc":"2.0","id":${id},${method === "ping" ? '"result":{}' : refusal}}`;
    void this.#send(envelope).finally(() => (this.#underWay -= 1));
  }
}
