import { isUuid } from "@gatehouse/admin";
import { answeredForCache, createBatchRead, type Database, placeRows } from "@gatehouse/database";
import type { ResolvedTarget, Target } from "@gatehouse/failover";
import type { ProviderKind } from "@gatehouse/providers";
import type { EndpointKey, LoadEndpoint } from "@gatehouse/slugs";
import type { Keyring } from "@gatehouse/vault";
import { compileEndpoint } from "../domain/compile-endpoint.ts";
import type { Endpoint } from "../domain/endpoint-fields.ts";
import type { CompiledEndpoint } from "../domain/endpoint.ts";
import { withoutTrailingSlash } from "../domain/provider-rules.ts";
import { openKey } from "./credentials.ts";
import { endpointColumns, type EndpointRecord, toEndpointFromRecord } from "./endpoint-record.ts";

interface ProviderRecord {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly base_url: string | null;
  readonly enabled: boolean;
  /** Uuid of the credential in use: the oldest active one. */
  readonly uuid: string | null;
  readonly sealed_key: string | null;
  /** Active or not. */
  readonly has_credentials: boolean;
}

/** Kinds that can be called without a key, as long as none was stored for them. */
const keylessKinds: ReadonlySet<ProviderKind> = new Set(["mock", "openai-compatible"]);

/**
 * Reads an active endpoint with its providers and credentials. Endpoints that are asked for together are read together: those in
 * use are all read again every few seconds.
 */
export function createEndpointLoader({ pool }: Database, keyring: Keyring): LoadEndpoint<CompiledEndpoint> {
  const readRecord = createBatchRead(async (keys: readonly EndpointKey[]) => await readRecords(pool, keys));
  const versions = new WeakMap<CompiledEndpoint, string>();
  return async (key, previous) => {
    if (!isUuid(key.projectUuid) || key.slug.includes("\0")) return undefined;
    const found = await answeredForCache(async () => await readRecord(key), previous !== undefined);
    if (found === undefined) return undefined;
    const { endpoint, rowVersion, providers } = found;
    const records = endpoint.targets.map(({ provider }) => providers.get(provider));
    const version = JSON.stringify([endpoint.uuid, rowVersion, records]);
    if (previous !== undefined && versions.get(previous) === version) return previous;
    const targets = endpoint.targets.map((target, at) => resolveTarget(target, keyring, records[at]));
    const compiled = compileEndpoint(endpoint, targets);
    versions.set(compiled, version);
    return compiled;
  };
}

interface FoundEndpoint {
  readonly endpoint: Endpoint;
  /** Another one after every change of the row: the transaction that wrote it. */
  readonly rowVersion: string;
  readonly providers: ReadonlyMap<string, ProviderRecord>;
}

async function readRecords(
  pool: Database["pool"],
  keys: readonly EndpointKey[],
): Promise<readonly (FoundEndpoint | undefined)[]> {
  const { rows } = await pool.query<EndpointRecord & { readonly place: string; readonly row_version: string }>({
    name: "endpoints-by-slug",
    text: `SELECT k.place, endpoints.xmin::text AS row_version, ${endpointColumns}
             FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS k(project, name, place)
             JOIN endpoints ON project_uuid = k.project AND slug = k.name AND is_active`,
    values: [keys.map(({ projectUuid }) => projectUuid), keys.map(({ slug }) => slug)],
  });
  if (rows.length === 0) return [];
  const names = new Set(rows.flatMap(({ targets }) => targets.map(({ provider }) => provider)));
  const { rows: found } = await pool.query<ProviderRecord>({
    name: "providers-with-credential",
    text: `SELECT p.name, p.kind, p.base_url, p.enabled, c.uuid, c.sealed_key,
                  EXISTS (SELECT FROM credentials WHERE provider_id = p.id) AS has_credentials
             FROM providers p
             LEFT JOIN LATERAL (SELECT uuid, sealed_key FROM credentials
                                 WHERE provider_id = p.id AND is_active ORDER BY id LIMIT 1) c ON true
            WHERE p.name = ANY($1)`,
    values: [[...names]],
  });
  const providers = new Map(found.map((row) => [row.name, row]));
  return placeRows(keys, rows).map(
    (row) => row && { endpoint: toEndpointFromRecord(row), rowVersion: row.row_version, providers },
  );
}

function resolveTarget(target: Target, keyring: Keyring, record: ProviderRecord | undefined): ResolvedTarget {
  if (record === undefined)
    return { kind: "misconfigured", target, problem: `there is no provider '${target.provider}'` };
  if (!record.enabled) return { kind: "disabled", target };
  const { uuid, sealed_key: sealedKey } = record;
  const apiKey = uuid === null || sealedKey === null ? undefined : openKey(keyring, { uuid, sealedKey });
  // Keys that are all switched off are no wish to call without one.
  if (apiKey === undefined && (record.has_credentials || !keylessKinds.has(record.kind))) {
    return { kind: "misconfigured", target, problem: `provider '${record.name}' has no active credential` };
  }
  const { name: provider, kind } = record;
  const baseUrl = withoutTrailingSlash(record.base_url);
  const address = { provider, kind, baseUrl, apiKey, credentialUuid: uuid ?? undefined, model: target.model };
  return { kind: "ready", target, address };
}
