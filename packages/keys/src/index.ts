export { initCertificates, type ServerHosts } from "./certificates.ts";
export { initKeys, type InitOptions } from "./init-keys.ts";
export { keyFiles } from "./keys-folder.ts";
export { formatRolesScript, type RoleOfService, schemaOf } from "./roles-script.ts";
export type { RotateOptions } from "./rotate-keys.ts";
