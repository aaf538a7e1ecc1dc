import { type Keyring, parseKeyring, SecretSource } from "@gatehouse/vault";
import type { EnvReader } from "./env-reader.ts";

const envPrefixForm = /^[A-Z][A-Z0-9_]{2,63}$/;

/** Default of `SECRET_ENV_PREFIX`. */
export const defaultSecretPrefix = "GATEHOUSE_SECRET_";

/**
 * Reads the permitted sources of referenced secrets: variables with the prefix `SECRET_ENV_PREFIX`, files in `SECRET_FOLDER`.
 * Problems are collected in `env`.
 */
export function readSecretSource(env: EnvReader): SecretSource {
  const envPrefix = env.text("SECRET_ENV_PREFIX", defaultSecretPrefix);
  if (!envPrefixForm.test(envPrefix)) {
    env.problem("SECRET_ENV_PREFIX", "must be 3 to 64 of A-Z, 0-9 and _, and begin with a letter");
  }
  const folder = env.optionalText("SECRET_FOLDER")?.replace(/\/+$/, "");
  if (folder !== undefined && !folder.startsWith("/")) {
    env.problem("SECRET_FOLDER", "must be the absolute path of a folder, such as /run/secrets/gatehouse");
  }
  return new SecretSource({ env: env.variables(envPrefix), envPrefix, folder });
}

/** Reads `GATEHOUSE_KEYRING`, and the permitted sources of referenced secrets. Problems are collected in `env`. */
export function readKeyring(env: EnvReader): Keyring {
  const references = readSecretSource(env);
  const text = env.requiredSecret(
    "GATEHOUSE_KEYRING",
    "id:base64key, 32 bytes; make a key with `openssl rand -base64 32`",
  );
  try {
    return { ...parseKeyring(text), references };
  } catch (err) {
    if (text.reveal() !== "")
      env.problem("GATEHOUSE_KEYRING", `is not valid: ${err instanceof Error ? err.message : ""}`);
    return { currentId: "", keys: new Map(), references };
  }
}
