export { ConfigError, type Environment, EnvReader, type IntegerOptions } from "./env-reader.ts";
export { defaultSecretPrefix, readKeyring, readSecretSource } from "./read-keyring.ts";
export { readPublicUrl } from "./read-public-url.ts";
