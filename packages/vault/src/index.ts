export { deriveKeyring, deriveSecret, formatKeyring, type Keyring, missingKeyRemedy, parseKeyring } from "./keyring.ts";
export { giveSecret, secretWarning } from "./given-secret.ts";
export { isSealedUnderOldKey, seal, unseal } from "./sealing.ts";
export { recipientLengthMax, recipientPattern, sealFor } from "./seal-for.ts";
export { Secret } from "./secret.ts";
export { referenceIn } from "./secret-reference.ts";
export { SecretSource, type SecretSourceOptions } from "./secret-source.ts";
