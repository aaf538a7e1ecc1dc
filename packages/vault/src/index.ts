export { deriveKeyring, deriveSecret, type Keyring, parseKeyring } from "./keyring.ts";
export { seal, unseal } from "./sealing.ts";
export { Secret } from "./secret.ts";
