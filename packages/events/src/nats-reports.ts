import type { NatsConnection } from "@nats-io/transport-node";
import { reportSubjects } from "./nats-streams.ts";
import { type StoredListener, type StoredMessages, type StreamName, streamNames } from "./transport.ts";

/** Tells every process what was stored; who is not there does not hear of it. */
export function publishReport(connection: NatsConnection, { stream, consumer, ids }: StoredMessages): void {
  connection.publish(`${reportSubjects.prefix}${stream}`, JSON.stringify({ consumer, ids }));
}

/** Listens until the connection ends. */
export function subscribeReports(connection: NatsConnection, listener: StoredListener): void {
  connection.subscribe(reportSubjects.all, {
    callback(err, message) {
      // An error says that the subscription has ended; the next connection has another one.
      if (err !== null) return;
      const report = parseReport(message.subject.slice(reportSubjects.prefix.length), message.string());
      if (report !== undefined) listener(report);
    },
  });
}

/** Undefined for what no peer of ours has sent. */
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
