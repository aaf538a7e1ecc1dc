export { createTokenConsumer } from "./forget-tokens.ts";
export { createSessionStore, type SessionStore } from "./session-store.ts";
export { sessionBounds, type SessionKey, type SessionTurn } from "./session.ts";
export { trimHistory } from "./trim-history.ts";
