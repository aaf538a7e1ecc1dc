export {
  ConfigError,
  type Environment,
  EnvReader,
  type IntegerOptions,
  readOtlpEndpoint,
  readPublicUrl,
} from "./env-reader.ts";
export { defaultSecretPrefix, readKeyring, readSecretSource } from "./read-keyring.ts";
export { gatehouseVersion } from "./version.ts";
