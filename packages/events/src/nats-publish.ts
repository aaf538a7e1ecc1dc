import { GatewayError } from "@gatehouse/errors";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { natsBounds } from "./nats-bounds.ts";
import type { NatsSession } from "./nats-session.ts";
import { idHeader, signatureHeader, signedText } from "./nats-signature.ts";
import { natsStreams, subjectOf } from "./nats-streams.ts";
import type { StreamMessage, StreamName } from "./transport.ts";

/**
 * Publishes messages in order, many at a time, and waits for each acknowledgement.
 * @throws GatewayError `unavailable` where the broker has not acknowledged all.
 */
export async function publishToNats(
  session: NatsSession,
  stream: StreamName,
  messages: readonly StreamMessage[],
): Promise<void> {
  const { jetstream, connection, service } = session;
  // Prevents another stream with overlapping subjects from taking the messages.
  const expect = { streamName: natsStreams[stream].name };
  const { publishInFlightMax: chunk, answerTimeoutMs: timeout } = natsBounds;
  for (let start = 0; start < messages.length; start += chunk) {
    const sent = messages.slice(start, start + chunk).map(async (message) => {
      return await jetstream.publish(subjectOf(stream, service), message.body, {
        headers: toHeaders(session, stream, message),
        timeout,
        expect,
      });
    });
    const failure = (await Promise.allSettled(sent)).find((outcome) => outcome.status === "rejected");
    if (failure === undefined) continue;
    // No stream has the subject: the streams or JetStream are gone. The next session creates them if it may.
    if (isWithoutStream(failure.reason)) void connection.close();
    throw unavailable(failure.reason);
  }
}

/** Transient error of a broker that does not answer. */
export function unavailable(cause?: unknown): GatewayError {
  return new GatewayError("unavailable", "The event broker is not available.", { cause, retryAfterSeconds: 1 });
}

/** The attempt is part of the broker's message id, since the broker drops repeated ids. */
function toHeaders({ trust }: NatsSession, stream: StreamName, { id, body, attempt = 0 }: StreamMessage): MsgHdrs {
  const made = headers();
  made.set(idHeader, id);
  made.set("Nats-Msg-Id", attempt === 0 ? id : `${id}.${attempt}`);
  if (trust !== undefined) made.set(signatureHeader, trust.signDetached("event", signedText(stream, id, body)));
  return made;
}

function isWithoutStream(err: unknown): boolean {
  return err instanceof Error && err.name === "JetStreamNotEnabled";
}
