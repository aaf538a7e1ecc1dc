import { GatewayError } from "@gatehouse/errors";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { natsBounds } from "./nats-bounds.ts";
import type { NatsSession } from "./nats-session.ts";
import { idHeader, signatureHeader, signedText } from "./nats-signature.ts";
import { natsStreams, subjectOf } from "./nats-streams.ts";
import type { StreamMessage, StreamName } from "./transport.ts";

/**
 * Sends messages in order, many at a time, and waits for the broker's word on each.
 * @throws GatewayError `unavailable` when the broker does not have them all, as far as it says.
 */
export async function publishToNats(
  session: NatsSession,
  stream: StreamName,
  messages: readonly StreamMessage[],
): Promise<void> {
  const { jetstream, connection, service } = session;
  // A stream that was made beside ours must not take what is meant for ours.
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
    // The subject has no subscriber: the streams are gone, or JetStream is. The next session makes what can be made.
    if (isWithoutStream(failure.reason)) void connection.close();
    throw unavailable(failure.reason);
  }
}

/** The broker does not answer: a failure that passes. */
export function unavailable(cause?: unknown): GatewayError {
  return new GatewayError("unavailable", "The event broker is not available.", { cause, retryAfterSeconds: 1 });
}

/** With another attempt it is another message to the broker, which otherwise drops what it has taken already. */
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
