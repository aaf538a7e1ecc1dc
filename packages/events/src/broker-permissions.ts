import type { ServiceName } from "@gatehouse/trust";
import { natsStreams, reportSubjects, subjectOf } from "./nats-streams.ts";
import { type StreamName, streamNames } from "./transport.ts";

/** Subjects that a user of the broker may publish to and subscribe to. */
export interface BrokerPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Streams that each service consumes; the durable consumer has the service's name. */
const consumers: Partial<Record<ServiceName, readonly StreamName[]>> = {
  // Drops cached data of deleted tokens.
  chat: ["audit"],
  logbook: ["audit", "gateway_log"],
  "webhook-dispatcher": ["audit"],
};

/** The service that creates the streams; others wait for them. */
const keeper: ServiceName = "logbook";

/** Whether a service creates the streams and updates their subjects: the logbook alone. Others wait until the streams exist. */
export function isStreamKeeper(service: string): boolean {
  return service === keeper;
}

/** Separate for each service, so that no other service can read replies. */
export function inboxPrefixOf(service: string): string {
  return `_INBOX_${service}`;
}

/**
 * Permissions of a service on the broker: publish under its name, read reports of stored messages, and, for consumers, receive
 * and acknowledge messages. None may delete a message or a stream.
 */
export function brokerPermissionsOf(service: ServiceName): BrokerPermissions {
  const consumed = consumers[service] ?? [];
  return {
    publish: [
      ...streamNames.map((stream) => subjectOf(stream, service)),
      ...streamNames.map((stream) => `$JS.API.STREAM.INFO.${natsStreams[stream].name}`),
      ...(isStreamKeeper(service) ? streamNames.flatMap((stream) => keeping(natsStreams[stream].name)) : []),
      ...consumed.flatMap((stream) => consuming(natsStreams[stream].name, service)),
      ...consumed.map((stream) => `${reportSubjects.prefix}${stream}.${service}`),
    ],
    subscribe: [`${inboxPrefixOf(service)}.>`, reportSubjects.all],
  };
}

function keeping(stream: string): readonly string[] {
  return [`$JS.API.STREAM.CREATE.${stream}`, `$JS.API.STREAM.UPDATE.${stream}`];
}

/** Servers before 2.10 create durable consumers under a separate subject. */
function consuming(stream: string, consumer: string): readonly string[] {
  return [
    `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
    `$JS.API.CONSUMER.CREATE.${stream}.${consumer}`,
    `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${consumer}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
    `$JS.ACK.${stream}.${consumer}.>`,
  ];
}
