import {
  type Database,
  newestPageBounds,
  type PageRequest,
  type PageResult,
  reading,
  toPage,
} from "@gatehouse/database";
import { unchanged } from "@gatehouse/service";
import type { PolicyOwner } from "../domain/policy-owner.ts";
import type { PolicyStore } from "./policies.ts";

/** A person's opinion of a verdict: it was wrong, or one was missing. */
export const feedbackKinds = ["false_alarm", "missed"] as const;
type FeedbackKind = (typeof feedbackKinds)[number];

interface NewFeedback {
  readonly owner: PolicyOwner;
  readonly actor: string;
  readonly kind: FeedbackKind;
  readonly findingId: number | undefined;
  readonly detector: string | undefined;
  /** Masked. */
  readonly text: string | undefined;
  readonly note: string | undefined;
}

/** A person's word on a verdict, as it is kept. */
export interface FeedbackRecord extends Omit<NewFeedback, "owner"> {
  readonly id: number;
  readonly endpointUuid: string | undefined;
  readonly at: Date;
}

interface FeedbackRow {
  readonly id: string;
  readonly endpoint_uuid: string | null;
  readonly at: Date;
  readonly actor: string;
  readonly kind: FeedbackKind;
  readonly finding_id: string | null;
  readonly detector: string | null;
  readonly text: string | null;
  readonly note: string | null;
}

/** Most feedback of one project; the oldest are removed. */
const ofProjectMax = 10_000;

/** Neither announced nor recorded: it changes no policy. @throws GatewayError `unavailable` where the database is away. */
export async function addFeedback(store: PolicyStore, { owner, ...said }: NewFeedback): Promise<FeedbackRecord> {
  const { projectUuid, endpointUuid } = owner;
  return await store.write(async (transaction) => {
    const { actor, kind, findingId, detector, text, note } = said;
    const about = { findingId: findingId ?? null, detector: detector ?? null, text: text ?? null, note: note ?? null };
    const data = { projectUuid, endpointUuid: endpointUuid ?? null, actor, kind, ...about };
    const { id, at } = await transaction.feedback.create({ data });
    await transaction.$executeRaw`DELETE FROM feedback WHERE project_uuid = ${projectUuid}::uuid
      AND id < (SELECT id FROM feedback WHERE project_uuid = ${projectUuid}::uuid ORDER BY id DESC OFFSET ${ofProjectMax - 1} LIMIT 1)`;
    return unchanged({ ...said, id: Number(id), endpointUuid, at });
  });
}

interface FeedbackFilter {
  readonly owner: PolicyOwner;
  readonly page: PageRequest;
}

/** Newest first. @throws GatewayError `invalid_argument` for an invalid cursor. */
export async function listFeedback(
  { pool }: Database,
  { owner: { projectUuid, endpointUuid }, page }: FeedbackFilter,
): Promise<PageResult<FeedbackRecord>> {
  const { take, beforeId } = newestPageBounds(page);
  const { rows } = await reading(async () => {
    return await pool.query<FeedbackRow>(
      `SELECT * FROM feedback WHERE project_uuid = $1 AND ($2::uuid IS NULL OR endpoint_uuid = $2) AND id < $3
        ORDER BY id DESC LIMIT $4`,
      [projectUuid, endpointUuid ?? null, beforeId, take + 1],
    );
  });
  return toPage(rows.map(fromRow), take);
}

function fromRow(row: FeedbackRow): FeedbackRecord {
  return {
    id: Number(row.id),
    endpointUuid: row.endpoint_uuid ?? undefined,
    at: row.at,
    actor: row.actor,
    kind: row.kind,
    findingId: row.finding_id === null ? undefined : Number(row.finding_id),
    detector: row.detector ?? undefined,
    text: row.text ?? undefined,
    note: row.note ?? undefined,
  };
}
