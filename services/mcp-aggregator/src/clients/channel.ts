import type { CallScope } from "../domain/call-scope.ts";
import type { Reply } from "../domain/verdict.ts";

export interface ChannelRequest {
  readonly id: number;
  /** JSON text of the envelope. */
  readonly envelope: string;
  readonly scope: CallScope;
  /** Of this one request, beside the channel's own. */
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
