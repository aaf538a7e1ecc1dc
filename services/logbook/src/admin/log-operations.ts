import {
  array,
  boolean,
  defineOperation,
  id,
  integer,
  isRowId,
  isUuid,
  type JsonObject,
  matchingOrInteger,
  nullable,
  number,
  object,
  oneOf,
  optional,
  page,
  pageOf,
  project,
  readProject,
  reference,
  resourceNotFound,
  string,
  timestamp,
  toDate,
  withDefault,
} from "@gatehouse/admin";
import { catalogue, type EventKey, severities } from "@gatehouse/audit";
import type { Database } from "@gatehouse/database";
import { type GatewayError, invalidArgument, isGatewayError } from "@gatehouse/errors";
import { userNameLengthMax } from "@gatehouse/principal";
import { verifyChains } from "../app/verify-chains.ts";
import { type LogPage, type LogRange, toLogRange, toStatusRange } from "../domain/log-query.ts";
import { toFaults, uncheckedFault } from "../domain/number-gaps.ts";
import { decodeVerifyPlace, encodeVerifyPlace } from "../domain/verify-cursor.ts";
import { readChains, readHeads } from "../store/audit-chains.ts";
import { readGaps } from "../store/audit-numbers.ts";
import { queryGatewayLog, searchTimeoutMs } from "../store/gateway-log-reader.ts";
import type { AdminContext } from "./admin-context.ts";
import { auditLogEntry } from "./audit-log-entry.ts";
import { gatewayLogEntry } from "./gateway-log-entry.ts";
import { projectFilter, requireProject } from "./project-of-call.ts";

/** Every row is read and hashed; millions take minutes. */
const verifyTimeoutMs = 300_000;
/** Part of that bound that is left for the answer. */
const verifyAnswerMs = 10_000;
/** Longest part of a verification: its last batch of rows may take seconds more. */
const partSecondsMax = 240;
const cursorLengthMax = 400;
/** The search answers first, and says how to narrow it. */
const queryTimeoutMs = searchTimeoutMs + 5_000;
const requestIdLengthMax = 200;
const nameLengthMax = 1_000;

const status = matchingOrInteger({
  description: 'A status code such as 404, or a class such as "4xx".',
  min: 100,
  max: 599,
  pattern: /^[1-5](\d\d|[xX][xX])$/,
  problem: 'must be a status code such as 404, or a class such as "4xx"',
});

const range = {
  project: optional(project),
  since: optional(timestamp("Entries from this moment on.")),
  until: optional(timestamp("Entries before this moment.")),
  ...page,
};

const queryRequests = defineOperation({
  name: "svc_query_gateway_log",
  description: "Lists requests with their outcomes, newest first, without prompts and answers.",
  access: readProject,
  coversDeletedProjects: true,
  timeoutMs: queryTimeoutMs,
  input: object({
    ...range,
    status: optional(status),
    request_id: optional(string({ description: "The X-Request-Id of a request.", lengthMax: requestIdLengthMax })),
    endpoint: optional(reference("The endpoint's uuid.")),
    token_id: optional(id("The access token's id.")),
    user: optional(string({ description: "The person behind the call, as logged.", lengthMax: userNameLengthMax })),
    route: optional(string({ description: "A kind of route, such as chat_direct.", lengthMax: nameLengthMax })),
    provider: optional(string({ description: "The provider that was called last.", lengthMax: nameLengthMax })),
    model: optional(string({ description: "The model that was called last.", lengthMax: nameLengthMax })),
    error: optional(string({ description: "A part of the error's message, in any case.", lengthMax: nameLengthMax })),
    clients_only: withDefault(boolean("Whether calls of the Control Plane are left out."), false),
  }),
  output: pageOf("entries", gatewayLogEntry.shape),
  async run(call, { database }: AdminContext) {
    const { status: given, request_id: requestId, endpoint, token_id: tokenId, user } = call.input;
    const { route, provider, model, error, clients_only: isClientsOnly } = call.input;
    // Entries of a deleted endpoint stay, so any uuid may have some; other texts are mistakes, such as a slug.
    if (endpoint !== undefined && !isUuid(endpoint)) throw resourceNotFound("Endpoint", endpoint);
    // An id beyond what a token can have is no token's.
    if (tokenId !== undefined && !isRowId(tokenId)) return { entries: [], next_cursor: null };
    const query = {
      range: toRange(call.input),
      projectUuid: projectFilter(call),
      status: given === undefined ? undefined : toStatusRange(given),
      requestId,
      endpointUuid: endpoint,
      tokenId,
      user,
      route,
      provider,
      model,
      error,
      isClientsOnly,
    };
    const answer = await queryGatewayLog(database, query, call.signal);
    if (answer.items.length === 0) requireProject(call);
    return toPage(answer, gatewayLogEntry.encode);
  },
});

const queryChanges = defineOperation({
  name: "svc_query_audit_log",
  description: "Lists audited changes and other events, newest first.",
  access: readProject,
  coversDeletedProjects: true,
  input: object({
    ...range,
    event: optional(oneOf("An event key.", Object.keys(catalogue) as EventKey[])),
    severity: optional(oneOf("A severity.", severities)),
    target: optional(string({ description: "The name of what was changed, exactly.", lengthMax: nameLengthMax })),
  }),
  output: pageOf("entries", auditLogEntry.shape),
  async run(call, { audit }: AdminContext) {
    const { event, severity, target } = call.input;
    const filters = { projectUuid: projectFilter(call), event, severity, target };
    const answer = await audit.query({ range: toRange(call.input), ...filters });
    if (answer.items.length === 0) requireProject(call);
    return toPage(answer, auditLogEntry.encode);
  },
});

const verify = defineOperation({
  name: "svc_verify_audit_log",
  description:
    "Verifies the audit log's hash chains, of one project or all: names the first row of each chain that was edited, is missing or " +
    "was cut off. For all chains, also names events that a service has numbered and that never arrived.",
  access: readProject,
  coversDeletedProjects: true,
  timeoutMs: verifyTimeoutMs,
  input: object({
    project: optional(project),
    max_seconds: optional(
      integer({
        description:
          "Answer after about so many seconds with what was verified by then: total_rows, and next_cursor (null at the end).",
        min: 1,
        max: partSecondsMax,
      }),
    ),
    cursor: optional(string({ description: "The next_cursor of the part before.", lengthMax: cursorLengthMax })),
  }),
  output: object({
    ok: boolean(),
    rows: number(),
    chains: number(),
    faults: array(
      object({
        project: nullable(string()),
        service: optional(string()),
        sequence: number(),
        kind: string(),
        detail: string(),
      }),
    ),
    total_rows: optional(number()),
    next_cursor: optional(nullable(string())),
  }),
  async run(call, { database, checkpoints }: AdminContext) {
    const beganAtMs = performance.now();
    const lateAtMs = beganAtMs + verifyTimeoutMs - verifyAnswerMs;
    const { max_seconds: partSeconds } = call.input;
    const asked = projectFilter(call);
    const from = call.input.cursor === undefined ? undefined : decodeVerifyPlace(call.input.cursor);
    if (from !== undefined && asked !== undefined && from.chain !== asked) throw foreignCursor();
    const { signed, unsigned } = await checkpoints.read();
    const heads = await readHeads(database, asked);
    const isAsked = ([chain]: readonly [string, unknown]) => asked === undefined || chain === asked;
    const { rows, chains, faults, next } = await verifyChains({
      rows: readChains(database, asked, from),
      heads,
      checkpoints: new Map([...signed].filter(isAsked)),
      from,
      mayStop: () => partSeconds !== undefined && performance.now() - beganAtMs >= partSeconds * 1_000,
    });
    // A service numbers the events of all projects as one. Of parts, the last one looks; each names what is wrong with the checkpoints.
    const withheld =
      asked === undefined && next === undefined
        ? await findWithheld(database, lateAtMs - performance.now(), call.signal)
        : [];
    const found = [
      ...faults.map(({ chain, ...fault }) => ({ project: chain === "" ? null : chain, ...fault })),
      ...withheld.map((fault) => ({ project: null, ...fault })),
      ...(unsigned.length === 0 ? [] : [unsignedFault(unsigned.length)]),
    ];
    if (rows === 0 && found.length === 0 && from === undefined) requireProject(call);
    const part = { ok: found.length === 0, rows, chains, faults: found };
    if (partSeconds === undefined) return part;
    const total = [...heads.values()].reduce((sum, { sequence }) => sum + sequence, 0);
    return { ...part, total_rows: total, next_cursor: next === undefined ? null : encodeVerifyPlace(next) };
  },
});

function foreignCursor(): GatewayError {
  return invalidArgument("cursor is of another project's verification");
}

/** Operations that search both logs and check the audit log's chains. */
export const logOperations = [queryRequests, queryChanges, verify] as const;

interface RangeInput {
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly cursor?: string;
}

function toRange({ since, until, limit, cursor }: RangeInput): LogRange {
  const moment = (given: string | undefined) => (given === undefined ? undefined : toDate(given));
  return toLogRange({ since: moment(since), until: moment(until), limit, cursor });
}

function toPage<Item extends object>({ items, nextCursor }: LogPage<Item>, encode: (item: Item) => JsonObject) {
  return { entries: items.map(encode), next_cursor: nextCursor === "" ? null : nextCursor };
}

/** Gaps that cannot be read in time are a fault beside those of the chains, which were costly to find. */
async function findWithheld(database: Database, timeoutMs: number, signal: AbortSignal) {
  try {
    return toFaults(await readGaps(database, timeoutMs, signal));
  } catch (err) {
    if (isGatewayError(err) && err.code === "unavailable") return [uncheckedFault(err)];
    throw err;
  }
}

/** Nothing in a checkpoint with another signature can be trusted, not even its chain. */
function unsignedFault(count: number) {
  const detail = `${count} lines of the checkpoint file have no valid signature: they, or the key, were changed`;
  return { project: null, sequence: 0, kind: "edited", detail };
}
