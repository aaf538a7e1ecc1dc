export {
  type Answer,
  type EmulatedServer,
  eventStream,
  json,
  startEmulatedServer,
  type ReceivedRequest,
} from "./testing/emulated-server.ts";
export {
  answerOf,
  basePath,
  readCall,
  readTranscript,
  type Transcript,
  wireKinds,
  type WireKind,
} from "./testing/transcript.ts";
