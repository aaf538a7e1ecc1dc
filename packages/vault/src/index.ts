export { deriveKeyring, deriveSecret, formatKeyring, type Keyring, parseKeyring } from "./keyring.ts";
export { isSealedUnderOldKey, seal, unseal } from "./sealing.ts";
export { Secret } from "./secret.ts";
