import { isUuid } from "@gatehouse/admin";
import { answeredForCache, createBatchRead, type Database, placeRows } from "@gatehouse/database";
import type { EndpointKey, LoadEndpoint } from "@gatehouse/slugs";
import type { Keyring } from "@gatehouse/vault";
import { compileEndpoint } from "../domain/compile-endpoint.ts";
import type { Endpoint } from "../domain/endpoint-fields.ts";
import type { CompiledEndpoint } from "../domain/endpoint.ts";
import { resolveTarget, type SealedCredential, type TargetProvider } from "../domain/resolve-target.ts";
import { openKey } from "./credentials.ts";
import { endpointColumns, type EndpointRecord, toEndpointFromRecord } from "./endpoint-record.ts";

/**
 * Reads active endpoints with their providers and credentials. Batches concurrent reads: all endpoints in use are reloaded every
 * few seconds.
 */
export function createEndpointLoader({ pool }: Database, keyring: Keyring): LoadEndpoint<CompiledEndpoint> {
  const readRecord = createBatchRead(async (keys: readonly EndpointKey[]) => await readRecords(pool, keys));
  const open = (credential: SealedCredential) => openKey(keyring, credential);
  const versions = new WeakMap<CompiledEndpoint, string>();
  return async (key, previous) => {
    if (!isUuid(key.projectUuid) || key.slug.includes("\0")) return undefined;
    const found = await answeredForCache(async () => await readRecord(key), previous !== undefined);
    if (found === undefined) return undefined;
    const { endpoint, rowVersion, providers } = found;
    const records = endpoint.targets.map(({ provider }) => providers.get(provider));
    const version = JSON.stringify([endpoint.uuid, rowVersion, records]);
    if (previous !== undefined && versions.get(previous) === version) return previous;
    const targets = endpoint.targets.map((target, at) => resolveTarget(target, records[at], open));
    const compiled = compileEndpoint(endpoint, targets);
    versions.set(compiled, version);
    return compiled;
  };
}

interface FoundEndpoint {
  readonly endpoint: Endpoint;
  /** Id of the transaction that last wrote the row. */
  readonly rowVersion: string;
  readonly providers: ReadonlyMap<string, TargetProvider>;
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
  const { rows: found } = await pool.query<TargetProvider>({
    name: "providers-with-credential",
    text: `SELECT p.name, p.kind, p.base_url AS "baseUrl", p.enabled AS "isEnabled", c.credential,
                  EXISTS (SELECT FROM credentials WHERE provider_id = p.id) AS "hasCredentials"
             FROM providers p
             LEFT JOIN LATERAL (SELECT json_build_object('uuid', uuid, 'sealedKey', sealed_key) AS credential FROM credentials
                                 WHERE provider_id = p.id AND is_active ORDER BY id LIMIT 1) c ON true
            WHERE p.name = ANY($1)`,
    values: [[...names]],
  });
  const providers = new Map(found.map((row) => [row.name, row]));
  return placeRows(keys, rows).map(
    (row) => row && { endpoint: toEndpointFromRecord(row), rowVersion: row.row_version, providers },
  );
}
