import type { ServiceTrust } from "@gatehouse/trust";
import type { MsgHdrs } from "@nats-io/transport-node";
import type { StreamName } from "./transport.ts";

/** Id of the message; the broker's own message id includes the attempt. */
export const idHeader = "Gatehouse-Id";

/** Signature of the publisher: neither the broker nor its other clients are trusted. */
export const signatureHeader = "Gatehouse-Signature";

/** Bytes under a message's signature; the stream and the id are included, so that a body cannot be replayed under others. */
export function signedText(stream: StreamName, id: string, body: string): string {
  return `${stream}\n${id}\n${body}`;
}

interface ReceivedMessage {
  readonly subject: string;
  readonly headers?: MsgHdrs | undefined;
  readonly body: string;
}

/** Service that signed a message; undefined without a valid signature, and where the subject ends with another service's name. */
export function signerOf(trust: ServiceTrust, stream: StreamName, message: ReceivedMessage): string | undefined {
  const { subject, headers, body } = message;
  const text = signedText(stream, headers?.get(idHeader) ?? "", body);
  const signer = trust.verifyDetached("event", text, headers?.get(signatureHeader) ?? "");
  return signer !== undefined && subject.endsWith(`.${signer}`) ? signer : undefined;
}
