export {
  ConfigError,
  type Environment,
  EnvReader,
  type IntegerOptions,
  presentSettings,
  readPublicUrl,
  readServiceName,
} from "./env-reader.ts";
export { makeFolder } from "./make-folder.ts";
export { type OtlpExport, readOtlpExport, type TraceSampling } from "./read-otlp-export.ts";
export { defaultSecretPrefix, readKeyring, readSecretSource } from "./read-keyring.ts";
export { gatehouseVersion } from "./version.ts";
