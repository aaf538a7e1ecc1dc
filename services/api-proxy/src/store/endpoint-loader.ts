import { isUuid } from "@gatehouse/admin";
import { answeredForCache, createBatchRead, type Database, placeRows } from "@gatehouse/database";
import type { EndpointKey, LoadEndpoint } from "@gatehouse/slugs";
import { type Keyring, Secret, unseal } from "@gatehouse/vault";
import { compileEndpoint, type EndpointSource } from "../domain/compile-endpoint.ts";
import type { CompiledEndpoint, UpstreamAuth } from "../domain/endpoint.ts";
import type { Endpoint as EndpointRow } from "../generated/prisma/client.ts";
import { sealPlaceOf } from "./seal-place.ts";

type AuthColumns = Pick<EndpointRow, "authType" | "authName" | "authSecret" | "connectionId">;

interface EndpointRecord extends EndpointSource, AuthColumns {
  /** Position of the key in the question. */
  readonly place: string;
  /** Id of the transaction that last wrote the row. */
  readonly rowVersion: string;
}

/** Batches concurrent reads: all endpoints in use are reloaded every few seconds. */
export function createEndpointLoader({ pool }: Database, keyring: Keyring): LoadEndpoint<CompiledEndpoint> {
  const readRecord = createBatchRead(async (keys: readonly EndpointKey[]) => await readRecords(pool, keys));
  const versions = new WeakMap<CompiledEndpoint, string>();
  return async (key, previous) => {
    if (!isUuid(key.projectUuid) || key.slug.includes("\0")) return undefined;
    const record = await answeredForCache(async () => await readRecord(key), previous !== undefined);
    if (record === undefined) return undefined;
    const version = `${record.uuid}/${record.rowVersion}`;
    if (previous !== undefined && versions.get(previous) === version) return previous;
    const compiled = compileEndpoint(record, openAuth(record, keyring));
    versions.set(compiled, version);
    return compiled;
  };
}

async function readRecords(
  pool: Database["pool"],
  keys: readonly EndpointKey[],
): Promise<readonly (EndpointRecord | undefined)[]> {
  const { rows } = await pool.query<EndpointRecord>({
    name: "endpoints-by-slug",
    text: `SELECT k.place, e.xmin::text AS "rowVersion", e.uuid, e.slug, e.upstream_url AS "upstreamUrl",
                  e.allowed_methods AS "allowedMethods", e.timeout_ms AS "timeoutMs", e.auth_type AS "authType",
                  e.auth_name AS "authName", e.auth_secret AS "authSecret", e.connection_id AS "connectionId"
             FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS k(project, name, place)
             JOIN endpoints e ON e.project_uuid = k.project AND e.slug = k.name AND e.is_active`,
    values: [keys.map(({ projectUuid }) => projectUuid), keys.map(({ slug }) => slug)],
  });
  return placeRows(keys, rows);
}

function openAuth(record: EndpointRecord, keyring: Keyring): UpstreamAuth {
  const { uuid, authType: type, authName: name, authSecret: sealed, connectionId } = record;
  if (type === "oauth" && connectionId !== null) return { kind: "oauth", connectionId };
  if (name === null || sealed === null) return { kind: "none" };
  const secret = unseal(keyring, sealed, sealPlaceOf.endpoint(uuid));
  if (type !== "basic") return { kind: "header", name: name.toLowerCase(), value: secret };
  const credentials = Buffer.from(`${name}:${secret.reveal()}`).toString("base64");
  return { kind: "header", name: "authorization", value: new Secret(`Basic ${credentials}`) };
}
