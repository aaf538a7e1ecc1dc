import { createHash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { BoundedCache } from "@gatehouse/bounded-cache";
import type { SealedColumn } from "@gatehouse/database";
import { type Keyring, seal, Secret, unseal } from "@gatehouse/vault";
import type { SecretRecord, SecretSource } from "./domain/signing-secret.ts";

/** A new secret. Its plaintext is shown once and never stored. */
interface NewSecret {
  readonly plaintext: Secret;
  readonly record: SecretRecord;
}

/** Creates root keys and secrets, and derives secrets from stored data. docs/adr/0014-webhook-secrets.md has the scheme. */
export interface SecretVault {
  /** Creates a root key for a project, sealed. */
  readonly newRoot: (projectUuid: string) => string;
  /** @throws where the root key cannot be opened */
  readonly newSecret: (source: SecretSource, version: number) => NewSecret;
  /** Derives the plaintext; undefined where its digest differs: a wrong key, or altered data. */
  readonly derive: (source: SecretSource, record: SecretRecord) => Secret | undefined;
  /** Whether the root key opens with this keyring. */
  readonly opens: (projectUuid: string, sealedRoot: string) => boolean;
}

/** Root keys, which the kernel reseals after a rotation. Backups omit them: on another gateway, secrets are created again. */
export const sealedColumns: readonly SealedColumn[] = [{ table: "projects", column: "sealed_root", placeOf }];

const rootByteLength = 32;
const saltByteLength = 16;
const secretByteLength = 32;
const hintLength = 4;
/** Cached secrets; deriving one takes some 20 microseconds. */
const derivedMax = 10_000;

/** Derives webhooks' secrets from each project's sealed root key, with a bounded cache. */
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
 * Draws salts until the text contains neither `-` nor `_` (one in four does): it is then both base64 and base64url, and every
 * Standard Webhooks library decodes the same key. Costs two of 256 bits.
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

/** A root key that does not open is a result here, not an error. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
