import { randomUUID } from "node:crypto";
import { pageBounds, type PageRequest, type PageResult, type SealedColumn, toPage } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import { sealedPlaceholders } from "@gatehouse/sessions";
import { type Keyring, referenceIn, seal, type Secret, unseal } from "@gatehouse/vault";
import { credentialCreated, credentialDeleted, credentialSwitched, credentialUpdated } from "../events.ts";
import type { Credential as CredentialRow } from "../generated/prisma/client.ts";
import { type ChatStore, type ChatWriteContext, unchanged } from "./chat-store.ts";
import { requireProvider } from "./providers.ts";

/** A credential as administrators see it: everything but the key. */
export interface Credential {
  readonly id: number;
  /** The provider's name. */
  readonly provider: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly hint: string;
  /** Where the key is kept, for one that is kept elsewhere. */
  readonly reference: string | null;
  readonly createdAt: Date;
}

interface NewCredential {
  /** A provider's name or id. */
  readonly provider: string;
  readonly name: string;
  readonly apiKey: Secret;
}

const hintLength = 4;
/** A shorter key would give too much of itself away by its last characters. */
const hintedKeyLengthMin = 12;

/** @throws GatewayError `not_found` for an unknown provider. */
export async function createCredential(
  context: ChatWriteContext,
  keyring: Keyring,
  { provider, name, apiKey }: NewCredential,
): Promise<Credential> {
  return await context.write(async (transaction) => {
    const owner = await requireProvider(transaction, provider);
    const data = { providerId: owner.id, name, ...toKeyColumns(keyring, apiKey) };
    const row = await transaction.credential.create({ data });
    const result = toCredential({ ...row, provider: owner });
    return { result, changes: [{ subject: "providers" }], events: [credentialCreated(context.initiator, result)] };
  });
}

export async function listCredentials(
  context: ChatStore,
  { provider, ...page }: PageRequest & { readonly provider?: string },
): Promise<PageResult<Credential>> {
  const { take, afterId } = pageBounds(page);
  const rows = await context.read(async (client) => {
    const owner = provider === undefined ? undefined : await requireProvider(client, provider);
    return await client.credential.findMany({
      where: { id: { gt: afterId }, ...(owner === undefined ? {} : { providerId: owner.id }) },
      include: { provider: true },
      orderBy: { id: "asc" },
      take: take + 1,
    });
  });
  return toPage(rows.map(toCredential), take);
}

interface CredentialChanges {
  readonly name?: string;
  /** Takes the place of the stored key. */
  readonly apiKey?: Secret;
}

/**
 * Changes a credential's name or key. A new key comes with a new uuid: to replicas it is another credential, so that nothing
 * which the old one has earned (an open circuit) is held against it.
 * @throws GatewayError `not_found` for an unknown id.
 */
export async function updateCredential(
  context: ChatWriteContext,
  keyring: Keyring,
  { id, changes }: { readonly id: number; readonly changes: CredentialChanges },
): Promise<Credential> {
  return await context.write(async (transaction) => {
    await transaction.$queryRaw`SELECT id FROM credentials WHERE id = ${id} FOR UPDATE`;
    const known = await transaction.credential.findUnique({ where: { id }, include: { provider: true } });
    if (known === null) throw notFound(id);
    const { name = known.name, apiKey } = changes;
    const changed = [...(name === known.name ? [] : ["name"]), ...(apiKey === undefined ? [] : ["api_key"])];
    if (changed.length === 0) return unchanged(toCredential(known));
    const data = { name, ...(apiKey === undefined ? {} : toKeyColumns(keyring, apiKey)) };
    const row = await transaction.credential.update({ where: { id }, data, include: { provider: true } });
    const result = toCredential(row);
    const events = [credentialUpdated(context.initiator, result, changed)];
    return { result, changes: [{ subject: "providers" }], events };
  });
}

function toKeyColumns(keyring: Keyring, apiKey: Secret) {
  const uuid = randomUUID();
  return { uuid, sealedKey: seal(keyring, apiKey, placeOf(uuid)), hint: hintOf(apiKey) };
}

/** @throws GatewayError `not_found` for an unknown id. */
export async function setCredentialActive(
  context: ChatWriteContext,
  { id, isActive }: { readonly id: number; readonly isActive: boolean },
): Promise<Credential> {
  return await context.write(async (transaction) => {
    const known = await transaction.credential.findUnique({ where: { id }, include: { provider: true } });
    if (known === null) throw notFound(id);
    const result = toCredential({ ...known, isActive });
    // A condition of the statement, so that of two who ask at once only one has made the change.
    const { count } = await transaction.credential.updateMany({
      where: { id, isActive: !isActive },
      data: { isActive },
    });
    if (count === 0) return unchanged(result);
    return { result, changes: [{ subject: "providers" }], events: [credentialSwitched(context.initiator, result)] };
  });
}

/** @throws GatewayError `not_found` for an unknown id. */
export async function deleteCredential(context: ChatWriteContext, id: number): Promise<Credential> {
  return await context.write(async (transaction) => {
    const known = await transaction.credential.findUnique({ where: { id }, include: { provider: true } });
    if (known === null) throw notFound(id);
    await transaction.credential.delete({ where: { id } });
    const result = toCredential(known);
    return { result, changes: [{ subject: "providers" }], events: [credentialDeleted(context.initiator, result)] };
  });
}

/** Where sealed values are stored. */
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

/** Opens a stored key. `uuid` is the credential's own, to which the seal is bound. */
export function openKey(keyring: Keyring, { uuid, sealedKey }: { uuid: string; sealedKey: string }): Secret {
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

function notFound(id: number): GatewayError {
  return new GatewayError("not_found", `Credential not found: ${id}`);
}

function toCredential(row: CredentialRow & { readonly provider: { readonly name: string } }): Credential {
  const { id, name, isActive, hint, createdAt, provider, sealedKey } = row;
  return { id, name, isActive, hint, createdAt, provider: provider.name, reference: referenceIn(sealedKey) };
}
