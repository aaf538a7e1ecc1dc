import { createBatchRead, type Database, toDatabaseError } from "@gatehouse/database";
import type { Keyring } from "@gatehouse/vault";
import { compileEndpoint } from "../domain/compile-endpoint.ts";
import type { CompiledEndpoint, Endpoint, ResolvedTarget, Target } from "../domain/endpoint.ts";
import type { ProviderKind } from "../domain/provider.ts";
import { openKey } from "./credentials.ts";
import { endpointColumns, type EndpointRecord, toEndpointFromRecord } from "./endpoint-record.ts";

interface ProviderRecord {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly base_url: string | null;
  readonly enabled: boolean;
  /** Of the credential in use: the oldest active one. */
  readonly uuid: string | null;
  readonly sealed_key: string | null;
}

/** Kinds that can be called without a key. */
const keylessKinds: ReadonlySet<ProviderKind> = new Set(["mock", "openai-compatible"]);

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface EndpointKey {
  readonly projectUuid: string;
  readonly slug: string;
}

/** Reads an active endpoint with its providers and credentials; undefined where there is none. */
export type LoadCompiledEndpoint = (key: EndpointKey) => Promise<CompiledEndpoint | undefined>;

/** Endpoints that are asked for together are read together: those in use are all read anew every few seconds. */
export function createEndpointLoader({ pool }: Database, keyring: Keyring): LoadCompiledEndpoint {
  const readRecord = createBatchRead(async (keys: readonly EndpointKey[]) => await readRecords(pool, keys));
  return async (key) => {
    if (!uuidPattern.test(key.projectUuid) || key.slug.includes("\0")) return undefined;
    const found = await readRecord(key);
    if (found === undefined) return undefined;
    const { endpoint, providers } = found;
    const targets = endpoint.targets.map((target) => resolveTarget(target, keyring, providers.get(target.provider)));
    return compileEndpoint(endpoint, targets);
  };
}

interface FoundEndpoint {
  readonly endpoint: Endpoint;
  readonly providers: ReadonlyMap<string, ProviderRecord>;
}

async function readRecords(
  pool: Database["pool"],
  keys: readonly EndpointKey[],
): Promise<readonly (FoundEndpoint | undefined)[]> {
  try {
    const { rows } = await pool.query<EndpointRecord & { readonly place: string }>({
      name: "endpoints-by-slug",
      text: `SELECT k.place, ${endpointColumns}
               FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS k(project, name, place)
               JOIN endpoints ON project_uuid = k.project AND slug = k.name AND is_active`,
      values: [keys.map(({ projectUuid }) => projectUuid), keys.map(({ slug }) => slug)],
    });
    if (rows.length === 0) return [];
    const found = rows.map((row) => ({ place: Number(row.place) - 1, endpoint: toEndpointFromRecord(row) }));
    const names = new Set(found.flatMap(({ endpoint }) => endpoint.targets.map(({ provider }) => provider)));
    const providers = await readProviders(pool, [...names]);
    const byPlace = new Map(found.map(({ place, endpoint }) => [place, { endpoint, providers }]));
    return keys.map((_, place) => byPlace.get(place));
  } catch (err) {
    throw toDatabaseError(err);
  }
}

async function readProviders(
  pool: Database["pool"],
  names: readonly string[],
): Promise<ReadonlyMap<string, ProviderRecord>> {
  const { rows } = await pool.query<ProviderRecord>({
    name: "providers-with-credential",
    text: `SELECT p.name, p.kind, p.base_url, p.enabled, c.uuid, c.sealed_key
             FROM providers p
             LEFT JOIN LATERAL (SELECT uuid, sealed_key FROM credentials
                                 WHERE provider_id = p.id AND is_active ORDER BY id LIMIT 1) c ON true
            WHERE p.name = ANY($1)`,
    values: [names],
  });
  return new Map(rows.map((row) => [row.name, row]));
}

function resolveTarget(target: Target, keyring: Keyring, record: ProviderRecord | undefined): ResolvedTarget {
  if (record === undefined)
    return { kind: "misconfigured", target, problem: `there is no provider '${target.provider}'` };
  if (!record.enabled) return { kind: "disabled", target };
  const { uuid, sealed_key: sealedKey } = record;
  const apiKey = uuid === null || sealedKey === null ? undefined : openKey(keyring, { uuid, sealedKey });
  if (apiKey === undefined && !keylessKinds.has(record.kind)) {
    return { kind: "misconfigured", target, problem: `provider '${record.name}' has no active credential` };
  }
  const baseUrl = record.base_url?.replace(/\/+$/, "");
  return {
    kind: "ready",
    target,
    address: {
      provider: record.name,
      kind: record.kind,
      baseUrl,
      apiKey,
      credentialUuid: uuid ?? undefined,
      model: target.model,
    },
  };
}
