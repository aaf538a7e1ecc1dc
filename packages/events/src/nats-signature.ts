import type { ServiceTrust } from "@gatehouse/trust";
import type { MsgHdrs } from "@nats-io/transport-node";
import type { StreamName } from "./transport.ts";

/** Carries the message's id; the broker's own message id also tells attempts apart. */
export const idHeader = "Gatehouse-Id";

/** Carries the publisher's signature: neither the broker nor its other clients are trusted. */
export const signatureHeader = "Gatehouse-Signature";

/** The signed text of a message. */
export function signedText(stream: StreamName, id: string, body: string): string {
  return `${stream}\n${id}\n${body}`;
}

interface ReceivedMessage {
  readonly subject: string;
  readonly headers?: MsgHdrs | undefined;
  readonly body: string;
}

/** The service that has signed a message; undefined where none has, or another than the one whose name its subject ends with. */
export function signerOf(trust: ServiceTrust, stream: StreamName, message: ReceivedMessage): string | undefined {
  const { subject, headers, body } = message;
  const text = signedText(stream, headers?.get(idHeader) ?? "", body);
  const signer = trust.verifyDetached("event", text, headers?.get(signatureHeader) ?? "");
  return signer !== undefined && subject.endsWith(`.${signer}`) ? signer : undefined;
}
