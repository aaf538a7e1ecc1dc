export { brokerPermissionsOf } from "./broker-permissions.ts";
export { type BrokerUserKey, createBrokerUser } from "./broker-user.ts";
export { type EventsConfig, openTransport, readEventsConfig, refusePlaintextBroker } from "./events-config.ts";
export { createInProcessTransport } from "./in-process-transport.ts";
export { createNatsTransport, type NatsTransportOptions } from "./nats-transport.ts";
export type {
  Consumer,
  EventTransport,
  StoredListener,
  StoredMessages,
  StreamMessage,
  StreamName,
} from "./transport.ts";
