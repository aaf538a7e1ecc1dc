import type { SealedColumn } from "@gatehouse/database";
import { type Keyring, referenceIn, type Secret, seal, unseal } from "@gatehouse/vault";
import { readSettings } from "../domain/upstream-settings.ts";
import type { ReachableUpstream, Upstream } from "../domain/upstream.ts";

/** Columns of bearer tokens, which key rotation reseals and a backup with secrets includes. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: "upstreams",
    column: "sealed_bearer_token",
    placeOf: (uuid) => placeOf(uuid),
    backup: {
      query: "SELECT uuid, sealed_bearer_token AS sealed, 'upstream/' || id || '/bearer_token' AS place FROM upstreams",
      // Places of a project's secrets have its uuid in their names.
      hasReferences: false,
    },
  },
];

/** A row of the table, from Prisma or raw SQL. */
export interface UpstreamRow {
  readonly id: number;
  readonly uuid: string;
  readonly projectUuid: string;
  readonly prefix: string;
  readonly url: string;
  readonly sealedBearerToken: string | null;
  readonly isActive: boolean;
  readonly settings: unknown;
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Upstream of a row, with the presence and the reference of its bearer token only; `toReachable` adds the plaintext. */
export function toUpstream(row: UpstreamRow): Upstream {
  const { id, projectUuid, prefix, url, isActive, revision, createdAt, updatedAt } = row;
  const settings = readSettings(row.settings);
  const hasBearerToken = row.sealedBearerToken !== null;
  const bearerTokenReference = referenceIn(row.sealedBearerToken ?? "");
  return {
    id,
    projectUuid,
    prefix,
    url,
    hasBearerToken,
    bearerTokenReference,
    isActive,
    settings,
    revision,
    createdAt,
    updatedAt,
  };
}

/** An upstream with its opened bearer token. @throws Error where the keyring lacks the key */
export function toReachable(keyring: Keyring, row: UpstreamRow): ReachableUpstream {
  const { sealedBearerToken, uuid } = row;
  const bearerToken = sealedBearerToken === null ? undefined : unseal(keyring, sealedBearerToken, placeOf(uuid));
  return { ...toUpstream(row), bearerToken };
}

/** @param uuid the upstream's, to which the seal is bound */
export function sealToken(keyring: Keyring, token: Secret, uuid: string): string {
  return seal(keyring, token, placeOf(uuid));
}

function placeOf(uuid: string): string {
  return `mcp_aggregator.upstreams/${uuid}`;
}
