export { ConfigError, type Environment, EnvReader, type IntegerOptions } from "./env-reader.ts";
