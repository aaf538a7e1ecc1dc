import { type Database, toDatabaseError } from "@gatehouse/database";
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

/** Reads an active endpoint with its providers and credentials; undefined where there is none. */
export async function loadCompiledEndpoint(
  { pool }: Database,
  keyring: Keyring,
  { projectUuid, slug }: { readonly projectUuid: string; readonly slug: string },
): Promise<CompiledEndpoint | undefined> {
  if (!uuidPattern.test(projectUuid) || slug.includes("\0")) return undefined;
  try {
    const { rows } = await pool.query<EndpointRecord>({
      name: "endpoint-by-slug",
      text: `SELECT ${endpointColumns} FROM endpoints WHERE project_uuid = $1 AND slug = $2 AND is_active`,
      values: [projectUuid, slug],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const endpoint = toEndpointFromRecord(row);
    return compileEndpoint(endpoint, await resolveTargets(pool, keyring, endpoint));
  } catch (err) {
    throw toDatabaseError(err);
  }
}

async function resolveTargets(
  pool: Database["pool"],
  keyring: Keyring,
  { targets }: Endpoint,
): Promise<ResolvedTarget[]> {
  const { rows } = await pool.query<ProviderRecord>({
    name: "providers-with-credential",
    text: `SELECT p.name, p.kind, p.base_url, p.enabled, c.uuid, c.sealed_key
             FROM providers p
             LEFT JOIN LATERAL (SELECT uuid, sealed_key FROM credentials
                                 WHERE provider_id = p.id AND is_active ORDER BY id LIMIT 1) c ON true
            WHERE p.name = ANY($1)`,
    values: [targets.map(({ provider }) => provider)],
  });
  return targets.map((target) =>
    resolveTarget(
      target,
      keyring,
      rows.find(({ name }) => name === target.provider),
    ),
  );
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
