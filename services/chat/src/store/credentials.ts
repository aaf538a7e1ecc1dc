import { randomUUID } from "node:crypto";
import { resourceNotFound } from "@gatehouse/admin";
import { lockRow, type PageRequest, type PageResult, readPage, type SealedColumn } from "@gatehouse/database";
import type { Target } from "@gatehouse/failover";
import type { ProviderAddress } from "@gatehouse/providers";
import { sealedPlaceholders } from "@gatehouse/sessions";
import { type Keyring, referenceIn, seal, type Secret, unseal } from "@gatehouse/vault";
import { withoutTrailingSlash } from "../domain/provider-rules.ts";
import type { SealedCredential } from "../domain/resolve-target.ts";
import { credentialEvent, credentialUpdated } from "../events.ts";
import type { Prisma } from "../generated/prisma/client.ts";
import { type ChatStore, type ChatWriteContext, providersChanged, type Reader, unchanged } from "./chat-store.ts";
import { requireProvider, toProvider } from "./providers.ts";

/** A credential without its key. */
type Credential = ReturnType<typeof toCredential>;

interface NewCredential {
  /** Name or id. */
  readonly provider: string;
  readonly name: string;
  readonly apiKey: Secret;
}

const hintLength = 4;
/** Shorter keys get no hint: their last characters would reveal too much. */
const hintedKeyLengthMin = 12;

/** @throws GatewayError `not_found` for an unknown provider */
export async function createCredential(
  context: ChatWriteContext,
  keyring: Keyring,
  { provider, name, apiKey }: NewCredential,
): Promise<Credential> {
  return await context.write(async (transaction) => {
    const owner = await requireProvider(transaction, provider);
    const data = { providerId: owner.id, name, ...toKeyColumns(keyring, apiKey) };
    const result = toCredential(await transaction.credential.create({ data, include }));
    const events = [credentialEvent("credential.created", context.initiator, result)];
    return { result, changes: providersChanged, events };
  });
}

/** Oldest first. @throws GatewayError `not_found` for an unknown provider */
export async function listCredentials(
  context: ChatStore,
  { provider, ...page }: PageRequest & { readonly provider?: string },
): Promise<PageResult<Credential>> {
  return await readPage(page, toCredential, async ({ after, ...query }) => {
    return await context.read(async (client) => {
      const ofProvider = provider === undefined ? {} : { providerId: (await requireProvider(client, provider)).id };
      return await client.credential.findMany({ where: { ...after, ...ofProvider }, include, ...query });
    });
  });
}

/** Undefined members stay as they are. */
interface CredentialChanges {
  readonly id: number;
  readonly name: string | undefined;
  readonly apiKey: Secret | undefined;
}

/**
 * Changes a credential's name or key. A new key gets a new uuid, so that replicas treat it as another credential without the old
 * one's health (an open circuit).
 * @throws GatewayError `not_found` for an unknown id
 */
export async function updateCredential(
  context: ChatWriteContext,
  keyring: Keyring,
  { id, name: newName, apiKey }: CredentialChanges,
): Promise<Credential> {
  return await context.write(async (transaction) => {
    await lockRow(transaction, "credentials", { id });
    const known = await requireCredential(transaction, id);
    const name = newName ?? known.name;
    const changed = [...(name === known.name ? [] : ["name"]), ...(apiKey === undefined ? [] : ["api_key"])];
    if (changed.length === 0) return unchanged(toCredential(known));
    const data = { name, ...(apiKey === undefined ? {} : toKeyColumns(keyring, apiKey)) };
    const result = toCredential(await transaction.credential.update({ where: { id }, data, include }));
    return { result, changes: providersChanged, events: [credentialUpdated(context.initiator, result, changed)] };
  });
}

function toKeyColumns(keyring: Keyring, apiKey: Secret) {
  const uuid = randomUUID();
  return { uuid, sealedKey: seal(keyring, apiKey, placeOf(uuid)), hint: hintOf(apiKey) };
}

/** @throws GatewayError `not_found` for an unknown id */
export async function setCredentialActive(
  context: ChatWriteContext,
  { id, isActive }: { readonly id: number; readonly isActive: boolean },
): Promise<Credential> {
  return await context.write(async (transaction) => {
    const result = toCredential({ ...(await requireCredential(transaction, id)), isActive });
    // Part of the condition, so that of two concurrent requests only one makes the change.
    const where = { id, isActive: !isActive };
    const { count } = await transaction.credential.updateMany({ where, data: { isActive } });
    if (count === 0) return unchanged(result);
    const event = isActive ? "credential.activated" : "credential.deactivated";
    return { result, changes: providersChanged, events: [credentialEvent(event, context.initiator, result)] };
  });
}

/** @throws GatewayError `not_found` for an unknown id */
export async function deleteCredential(context: ChatWriteContext, id: number): Promise<Credential> {
  return await context.write(async (transaction) => {
    await lockRow(transaction, "credentials", { id });
    await requireCredential(transaction, id);
    const result = toCredential(await transaction.credential.delete({ where: { id }, include }));
    const events = [credentialEvent("credential.deleted", context.initiator, result)];
    return { result, changes: providersChanged, events };
  });
}

interface CredentialToTest {
  readonly address: Omit<ProviderAddress, "model">;
  /** A model that an endpoint uses at the provider. */
  readonly model: string | undefined;
}

/**
 * Address and key of one credential, active or not.
 * @throws GatewayError `not_found` for an unknown id
 */
export async function readCredentialToTest(store: ChatStore, keyring: Keyring, id: number): Promise<CredentialToTest> {
  return await store.read(async (client) => {
    const { provider, uuid, sealedKey } = await requireCredential(client, id);
    const { name, kind, baseUrl } = toProvider(provider);
    const where = { targets: { array_contains: [{ provider: name }] } };
    const using = await client.endpoint.findFirst({ where, select: { targets: true }, orderBy: { id: "asc" } });
    const targets = (using?.targets ?? []) as unknown as readonly Target[];
    const apiKey = openKey(keyring, { uuid, sealedKey });
    const address = { provider: name, kind, baseUrl: withoutTrailingSlash(baseUrl), apiKey, credentialUuid: uuid };
    return { address, model: targets.find((target) => target.provider === name)?.model };
  });
}

/** Columns with sealed values. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: "credentials",
    column: "sealed_key",
    placeOf: (uuid) => placeOf(uuid),
    backup: {
      query: "SELECT uuid, sealed_key AS sealed, 'credential/' || id || '/api_key' AS place FROM credentials",
      hasReferences: true,
    },
  },
  sealedPlaceholders,
];

/** Opens a stored key. @param uuid the credential's, to which the seal is bound */
export function openKey(keyring: Keyring, { uuid, sealedKey }: SealedCredential): Secret {
  return unseal(keyring, sealedKey, placeOf(uuid));
}

function placeOf(uuid: string): string {
  return `chat.credentials/${uuid}`;
}

function hintOf(apiKey: Secret): string {
  if (apiKey.reference !== undefined) return "";
  const key = apiKey.reveal();
  return key.length < hintedKeyLengthMin ? "" : key.slice(-hintLength);
}

const include = { provider: true } as const;
type CredentialRow = Prisma.CredentialGetPayload<{ include: typeof include }>;

async function requireCredential(client: Reader, id: number): Promise<CredentialRow> {
  const row = await client.credential.findUnique({ where: { id }, include });
  if (row === null) throw resourceNotFound("Credential", id);
  return row;
}

function toCredential({ id, name, isActive, hint, createdAt, provider, sealedKey }: CredentialRow) {
  // Reference to a key in a secret store.
  const reference = referenceIn(sealedKey);
  return { id, name, isActive, hint, createdAt, provider: provider.name, reference };
}
