export { initCertificates, type ServerHosts } from "./certificates.ts";
export { initKeys, type InitOptions } from "./init-keys.ts";
export { keyFiles, KeysError } from "./keys-folder.ts";
export { formatRolesScript, type RoleOfService, schemaOf } from "./roles-script.ts";
export { rotateKeys, type RotateOptions } from "./rotate-keys.ts";
export { toScramVerifier } from "./scram.ts";
