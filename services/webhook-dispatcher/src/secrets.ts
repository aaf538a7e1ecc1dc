import { createHash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { BoundedCache } from "@gatehouse/bounded-cache";
import type { SealedColumn } from "@gatehouse/database";
import { type Keyring, seal, Secret, unseal } from "@gatehouse/vault";
import type { SecretRecord, SecretSource } from "./domain/signing-secret.ts";

/** A secret that was just made. Its plaintext is shown once and kept nowhere. */
interface NewSecret {
  readonly plaintext: Secret;
  readonly record: SecretRecord;
}

/** Makes roots and secrets, and makes secrets again from what is stored. docs/adr/0014-webhook-secrets.md has the scheme. */
export interface SecretVault {
  /** A new root key for a project, sealed. */
  readonly newRoot: (projectUuid: string) => string;
  /** @throws where the root cannot be opened. */
  readonly newSecret: (source: SecretSource, version: number) => NewSecret;
  /** The plaintext, or undefined where what comes out is not what was given out: a wrong key, or altered data. */
  readonly derive: (source: SecretSource, record: SecretRecord) => Secret | undefined;
  /** Whether the root opens with this keyring. */
  readonly opens: (projectUuid: string, sealedRoot: string) => boolean;
}

/** Root keys, which the kernel seals again after a rotation. No backup holds them: secrets on another gateway are new ones. */
export const sealedColumns: readonly SealedColumn[] = [{ table: "projects", column: "sealed_root", placeOf }];

const rootByteLength = 32;
const saltByteLength = 16;
const secretByteLength = 32;
const hintLength = 4;
/** Secrets kept in memory; making one again costs some 20 microseconds. */
const derivedMax = 10_000;

/** Makes webhooks' secrets from a sealed root of each project, and keeps derived ones in memory, bounded. */
export function createSecretVault(keyring: Keyring): SecretVault {
  const derived = new BoundedCache<string, Secret>(derivedMax);
  const openRoot = (projectUuid: string, sealed: string) =>
    Buffer.from(unseal(keyring, sealed, placeOf(projectUuid)).reveal(), "base64url");

  return {
    newRoot(projectUuid) {
      const root = new Secret(randomBytes(rootByteLength).toString("base64url"));
      return seal(keyring, root, placeOf(projectUuid));
    },
    newSecret(source, version) {
      return makeSecret(openRoot(source.projectUuid, source.sealedRoot), source.webhookId, version);
    },
    derive(source, record) {
      const key = `${source.webhookId}/${record.version}/${Buffer.from(record.digest).toString("base64")}`;
      const known = derived.get(key);
      if (known !== undefined) return known;
      const secret = deriveAgain(() => openRoot(source.projectUuid, source.sealedRoot), source.webhookId, record);
      if (secret !== undefined) derived.set(key, secret);
      return secret;
    },
    opens(projectUuid, sealedRoot) {
      return attempt(() => openRoot(projectUuid, sealedRoot)) !== undefined;
    },
  };
}

function placeOf(projectUuid: string): string {
  return `webhook_dispatcher.projects/${projectUuid}`;
}

/**
 * Draws salts until the text has neither `-` nor `_` (one in four does): the same text is then base64 and base64url, and every
 * Standard Webhooks library reads the key that it stands for. It costs two of 256 bits.
 */
function makeSecret(root: Buffer, webhookId: number, version: number): NewSecret {
  for (;;) {
    const salt = randomBytes(saltByteLength);
    const plaintext = textOf(root, salt, `${webhookId}|${version}`);
    if (/[-_]/.test(plaintext.slice("whsec_".length))) continue;
    const record = { version, salt, digest: digestOf(plaintext), hint: plaintext.slice(-hintLength) };
    return { plaintext: new Secret(plaintext), record };
  }
}

function deriveAgain(openRoot: () => Buffer, webhookId: number, record: SecretRecord): Secret | undefined {
  const root = attempt(openRoot);
  if (root === undefined) return undefined;
  const plaintext = textOf(root, record.salt, `${webhookId}|${record.version}`);
  const digest = digestOf(plaintext);
  const isSame = digest.length === record.digest.length && timingSafeEqual(digest, record.digest);
  return isSame ? new Secret(plaintext) : undefined;
}

function textOf(root: Buffer, salt: Uint8Array, owner: string): string {
  const bytes = hkdfSync("sha256", root, salt, `webhook-signing-v1|${owner}`, secretByteLength);
  return `whsec_${Buffer.from(bytes).toString("base64url")}`;
}

function digestOf(plaintext: string): Buffer {
  return createHash("sha256").update(plaintext).digest();
}

/** A root that does not open is an answer here, not a failure. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
