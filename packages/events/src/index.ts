export { createInProcessTransport } from "./in-process-transport.ts";
export {
  type Consumer,
  type EventTransport,
  type StoredListener,
  type StoredMessages,
  type StreamMessage,
  type StreamName,
  streamNames,
} from "./transport.ts";
