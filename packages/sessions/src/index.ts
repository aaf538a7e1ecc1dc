export { createTokenConsumer } from "./token-consumer.ts";
export { createSessionStore, type SessionStore } from "./session-store.ts";
export { sessionBounds, type SessionKey, type SessionPlaceholder, type SessionTurn } from "./session.ts";
export { sealedPlaceholders } from "./placeholder-map.ts";
export { trimHistory } from "./trim-history.ts";
