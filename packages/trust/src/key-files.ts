import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { randomBytes } from "node:crypto";
import { isServiceName, type ServiceName } from "./service-names.ts";

/** Signing key (Ed25519) of a service; `id` names it in signatures, by which the verifier finds the public key. */
export interface PrivateKey {
  readonly id: string;
  readonly key: KeyObject;
  /** Milliseconds since 1970; the newest key whose time has come signs. */
  readonly signsFrom: number;
}

/** Signing keys of a service: `service-key.json`. */
export interface ServiceKeys {
  readonly service: ServiceName;
  readonly keys: readonly PrivateKey[];
}

/** Public key of a service: a row of `trust.json`. */
export interface PublicKey {
  readonly id: string;
  readonly service: ServiceName;
  readonly key: KeyObject;
  /** Milliseconds since 1970 from which it is invalid; absent: it does not expire. */
  readonly notAfter?: number | undefined;
}

const idForm = /^[a-z][a-z0-9-]{2,63}$/;
const idBytes = 6;

/** Creates a pair (Ed25519) for a service; its id begins with the service's name. */
export function makeKeyPair(service: ServiceName, signsFrom: number): { own: PrivateKey; known: PublicKey } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const id = `${service}-${randomBytes(idBytes).toString("hex")}`;
  return { own: { id, key: privateKey, signsFrom }, known: { id, service, key: publicKey } };
}

/** @throws Error that names the problem and shows nothing of the keys. */
export function parseServiceKeys(text: string): ServiceKeys {
  const { service, keys } = parseObject(text);
  if (typeof service !== "string" || !isServiceName(service)) throw new Error("names no known service");
  if (!Array.isArray(keys) || keys.length === 0) throw new Error("has no keys");
  return { service, keys: keys.map((entry) => parsePrivateKey(entry)) };
}

/** Private key file of one service, JSON text. Secret. */
export function formatServiceKeys({ service, keys }: ServiceKeys): string {
  const entries = keys.map(({ id, key, signsFrom }) => ({
    id,
    signsFrom: new Date(signsFrom).toISOString(),
    privateKey: key.export({ type: "pkcs8", format: "der" }).toString("base64"),
  }));
  return `${JSON.stringify({ service, keys: entries }, undefined, 2)}\n`;
}

/** @throws Error that names the problem. */
export function parseTrust(text: string): readonly PublicKey[] {
  const { keys } = parseObject(text);
  if (!Array.isArray(keys) || keys.length === 0) throw new Error("has no keys");
  const parsed = keys.map((entry) => parsePublicKey(entry));
  if (new Set(parsed.map(({ id }) => id)).size < parsed.length) throw new Error("has two keys with the same id");
  return parsed;
}

/** File of all public keys, JSON text; the same for every service. */
export function formatTrust(keys: readonly PublicKey[]): string {
  const entries = keys.map(({ id, service, key, notAfter }) => ({
    id,
    service,
    publicKey: key.export({ type: "spki", format: "der" }).toString("base64"),
    ...(notAfter === undefined ? {} : { notAfter: new Date(notAfter).toISOString() }),
  }));
  return `${JSON.stringify({ keys: entries }, undefined, 2)}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

function parsePrivateKey(entry: unknown): PrivateKey {
  const { id, privateKey, signsFrom } = toFields(entry);
  const der = Buffer.from(typeof privateKey === "string" ? privateKey : "", "base64");
  return {
    id: parseId(id),
    key: parseKey(() => createPrivateKey({ key: der, format: "der", type: "pkcs8" })),
    signsFrom: parseTime(signsFrom),
  };
}

function parsePublicKey(entry: unknown): PublicKey {
  const { id, service, publicKey, notAfter } = toFields(entry);
  if (typeof service !== "string" || !isServiceName(service)) throw new Error("has a key without a known service");
  const der = Buffer.from(typeof publicKey === "string" ? publicKey : "", "base64");
  const key = parseKey(() => createPublicKey({ key: der, format: "der", type: "spki" }));
  return { id: parseId(id), service, key, ...(notAfter === undefined ? {} : { notAfter: parseTime(notAfter) }) };
}

function parseObject(text: string): Fields {
  try {
    return toFields(JSON.parse(text));
  } catch (err) {
    if (err instanceof SyntaxError) throw new Error("is not JSON", { cause: err });
    throw err;
  }
}

function toFields(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("has a part that is not an object");
  return value as Fields;
}

function parseId(id: unknown): string {
  if (typeof id !== "string" || !idForm.test(id)) throw new Error("has a key without a valid id");
  return id;
}

function parseTime(text: unknown): number {
  const time = typeof text === "string" ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new Error("has an invalid time (use ISO 8601)");
  return time;
}

function parseKey(parse: () => KeyObject): KeyObject {
  try {
    const key = parse();
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The platform's message may quote it.
  }
  throw new Error("has a key that is not an Ed25519 key");
}
