import { randomUUID } from "node:crypto";
import { hashToken, mintToken } from "@gatehouse/principal";
import type pg from "pg";
import { chatCall, postRequest, prompt } from "../call.ts";

/** Kinds of rows of which there are many. */
export const populationKinds = ["tokens", "endpoints", "projects"] as const;
export type PopulationKind = (typeof populationKinds)[number];

/** Many keys: one request for each, of equal size. */
export interface Population {
  readonly kind: PopulationKind;
  readonly size: number;
  readonly requests: Buffer;
  readonly requestBytes: number;
}

/** High enough that no run reaches it: windows are counted, and nothing is refused. */
const neverReached = 1_000_000_000;
const requestCountMax = 10_000;

/**
 * Inserts `size` tokens of one project, endpoints of one project, or projects with a token and an endpoint each, directly into
 * the tables: through the control plane, ten thousand would take minutes.
 */
export async function createPopulation(client: pg.Client, kind: PopulationKind, size: number): Promise<Population> {
  if (size > requestCountMax) throw new RangeError(`At most ${requestCountMax} requests.`);
  const many = Array.from({ length: size }, (_, index) => index);
  const projects = kind === "projects" ? many.map(() => randomUUID()) : [randomUUID()];
  const slugs =
    kind === "endpoints" ? many.map((index) => `growth-${String(index).padStart(5, "0")}`) : ["growth-00000"];
  const tokens = kind === "endpoints" ? [mintToken("live").reveal()] : many.map(() => mintToken("live").reveal());
  await client.query(
    `INSERT INTO control_plane.projects (uuid, name, project_type, rate_limit_per_minute, rate_limit_per_hour)
     SELECT uuid, 'growth', 'ai_gateway', $2, $2 FROM unnest($1::uuid[]) AS uuid`,
    [projects, neverReached],
  );
  await client.query(
    `INSERT INTO control_plane.access_tokens (project_id, name, environment, scopes, token_hash)
     SELECT p.id, 'growth', 'live', '{chat}', t.hash
       FROM unnest($1::bytea[], $2::uuid[]) AS t(hash, project) JOIN control_plane.projects p ON p.uuid = t.project`,
    [tokens.map(hashToken), tokens.map((_, index) => at(projects, index))],
  );
  await client.query(
    `INSERT INTO chat.endpoints (uuid, project_uuid, slug, targets)
     SELECT gen_random_uuid(), e.project, e.slug, $3::jsonb FROM unnest($1::uuid[], $2::text[]) AS e(project, slug)`,
    [
      many.map((index) => at(projects, index)).slice(0, Math.max(projects.length, slugs.length)),
      many.map((index) => at(slugs, index)).slice(0, Math.max(projects.length, slugs.length)),
      JSON.stringify([{ provider: "bench", model: chatCall.model }]),
    ],
  );
  const requests = many.map((index) => {
    const authorization = `Bearer ${at(tokens, index)}`;
    return postRequest(`/api/${at(projects, index)}/${at(slugs, index)}`, { message: prompt }, { authorization });
  });
  return { kind, size, requests: Buffer.concat(requests), requestBytes: requests[0]?.length ?? 0 };
}

/** Item at an index, modulo their number. */
function at<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError("There are none.");
  return item;
}
