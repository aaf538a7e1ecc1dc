import { headers } from "@nats-io/transport-node";
import type { NatsSession } from "./nats-session.ts";
import { signatureHeader } from "./nats-signature.ts";
import { reportSubjects } from "./nats-streams.ts";
import { type StoredListener, type StoredMessages, type StreamName, streamNames } from "./transport.ts";

/** Reports stored messages to all connected processes; others miss the report. */
export function publishReport({ connection, trust }: NatsSession, { stream, consumer, ids }: StoredMessages): void {
  const subject = `${reportSubjects.prefix}${stream}.${consumer}`;
  const body = JSON.stringify({ consumer, ids });
  const made = headers();
  if (trust !== undefined) made.set(signatureHeader, trust.signDetached("report", `${stream}\n${body}`));
  connection.publish(subject, body, { headers: made });
}

/** Subscribes until the connection ends. Accepts a report only with the signature of its consumer. */
export function subscribeReports({ connection, trust }: NatsSession, listener: StoredListener): void {
  connection.subscribe(reportSubjects.all, {
    callback(err, message) {
      // An error means that the subscription has ended; the next connection subscribes again.
      if (err !== null) return;
      const [stream = ""] = message.subject.slice(reportSubjects.prefix.length).split(".");
      const text = message.string();
      const report = parseReport(stream, text);
      if (report === undefined) return;
      const signature = message.headers?.get(signatureHeader) ?? "";
      const signer = trust?.verifyDetached("report", `${stream}\n${text}`, signature);
      if (trust === undefined || signer === report.consumer) listener(report);
    },
  });
}

/** Undefined for an invalid text. */
function parseReport(stream: string, text: string): StoredMessages | undefined {
  if (!isStreamName(stream)) return undefined;
  try {
    const { consumer, ids } = JSON.parse(text) as { readonly consumer?: unknown; readonly ids?: unknown };
    if (typeof consumer !== "string" || !Array.isArray(ids)) return undefined;
    return { stream, consumer, ids: ids.filter((id) => typeof id === "string") };
  } catch (err) {
    if (err instanceof SyntaxError || err instanceof TypeError) return undefined;
    throw err;
  }
}

function isStreamName(text: string): text is StreamName {
  return (streamNames as readonly string[]).includes(text);
}
