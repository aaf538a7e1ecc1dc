import {
  array,
  boolean,
  defineCollection,
  defineOperation,
  encodePage,
  type JsonObject,
  looseObject,
  matching,
  nullable,
  number,
  object,
  optional,
  page,
  pageOf,
  project,
  readProject,
  rowKey,
  string,
  withDefault,
  writeProject,
} from "@gatehouse/admin";
import { GatewayError, invalidArgument } from "@gatehouse/errors";
import { giveSecret, type Secret, secretWarning } from "@gatehouse/vault";
import { hopOf } from "../domain/hops.ts";
import { visibleTools } from "../domain/listing.ts";
import { joinToolName } from "../domain/tool-name.ts";
import { toCallerError, UpstreamFailure } from "../domain/upstream-failure.ts";
import { listTimeoutMsMax, toolName } from "../domain/upstream-settings.ts";
import type { Upstream } from "../domain/upstream.ts";
import { listPinnedTools, type PinnedTool } from "../store/pinned-tools.ts";
import { listUpstreams, readUpstream } from "../store/registered-upstreams.ts";
import {
  approveUpstreamTools,
  checkAddress,
  createUpstream,
  deleteUpstream,
  requireRoom,
  updateUpstream,
} from "../store/upstreams.ts";
import type { AdminContext } from "./admin-context.ts";
import { describeState } from "./upstream-state.ts";
import { encodeUpstream, upstream } from "./upstream.ts";

/** Two listings of an upstream of the longest time limit, the second after one already in progress, and a margin. */
const questionTimeoutMs = 2 * listTimeoutMsMax + 15_000;
const approvedToolsMax = 1_000;

const fingerprint = matching({
  description: "A changed_fingerprint of svc_list_upstream_tools.",
  lengthMax: 64,
  pattern: /^[0-9a-f]{64}$/,
  problem: "must be 64 hexadecimal digits, as svc_list_upstream_tools lists it",
});

const upstreams = defineCollection({
  list: "upstreams",
  key: rowKey("Upstream", "upstream_id"),
  findProject: async (id, { database, writer }: AdminContext) =>
    (await readUpstream(database, writer.keyring, id)).projectUuid,
  shape: upstream.shape,
  show,
});

const create = defineOperation({
  name: "svc_create_upstream",
  description:
    "Registers an MCP server of any revision with an mcp_gateway project. Its tools are listed as <prefix>__<tool> at once.",
  access: writeProject,
  takesIdempotencyKey: true,
  timeoutMs: questionTimeoutMs,
  input: object({ project, ...upstream.createInput }),
  output: object({ ...upstream.shape.properties, warning: nullable(string()) }),
  async prepare({ input, projectType, planned }, context: AdminContext) {
    const { project: projectUuid, prefix, url, bearer_token: token } = input;
    if (projectType !== "mcp_gateway") {
      const problem = `Project ${projectUuid} is of type ${projectType}; only mcp_gateway projects have upstreams.`;
      throw invalidArgument(problem);
    }
    await context.checkUrl(url, "url");
    const bearerToken = toSecret(context, token, projectUuid) ?? undefined;
    await requireRoom(context.writer, { projectUuid, prefix, planned: planned.siblings });
    return { bearerToken };
  },
  async run({ input, initiator, prepared: { bearerToken } }, context) {
    const { project: projectUuid, prefix, url, bearer_token: _token, ...settings } = input;
    const definition = { projectUuid, prefix, url, bearerToken, settings };
    const created = await createUpstream(context.writer, initiator, definition);
    return { ...show(created, context), warning: warningOf(context, bearerToken) };
  },
});

const listAll = upstreams.list({
  name: "svc_list_upstreams",
  description:
    "Lists a project's upstream MCP servers in the order of registration, with the last known state of each.",
  access: readProject,
  input: { project },
  async find({ input: { project: projectUuid } }, page, context: AdminContext) {
    const found = await listUpstreams(context.database, { ...page, projectUuid });
    // A catalogue from before a restart counts as known.
    await context.registry.find(projectUuid);
    const states = await context.states.latest(found.items.map(({ id }) => id));
    return { ...found, items: found.items.map((item) => ({ ...item, latestState: states.get(item.id) })) };
  },
});

const update = upstreams.about({
  name: "svc_update_upstream",
  description:
    "Changes an upstream; what is absent stays. bearer_token: null takes the token away; null gives another setting its default back.",
  access: writeProject,
  timeoutMs: questionTimeoutMs,
  input: upstream.updateInput,
  output: object({ ...upstream.shape.properties, warning: nullable(string()) }),
  async prepare(id, { input: { url, bearer_token: token } }, context: AdminContext) {
    if (url !== undefined) await context.checkUrl(url, "url");
    const known = await readUpstream(context.database, context.writer.keyring, id);
    const bearerToken = toSecret(context, token, known.projectUuid);
    checkAddress(known, { url, bearerToken });
    return { bearerToken };
  },
  async run(id, { input, initiator, prepared: { bearerToken } }, context) {
    const { prefix, url, bearer_token: _token, is_active: isActive, ...settings } = input;
    const change = { prefix, url, bearerToken, isActive, settings };
    const changed = await updateUpstream(context.writer, initiator, { id, update: change });
    await context.registry.find(changed.projectUuid);
    return { ...show(changed, context), warning: warningOf(context, bearerToken) };
  },
});

const refresh = upstreams.about({
  name: "svc_refresh_upstream",
  description:
    "Asks an active upstream for its tools now, past every cache, and answers with the names that are listed.",
  access: writeProject,
  timeoutMs: questionTimeoutMs,
  output: object({ ...upstream.shape.properties, tools: array(string()) }),
  async run(asked, _call, { database, writer, registry }: AdminContext) {
    const { projectUuid, isActive } = await readUpstream(database, writer.keyring, asked);
    if (!isActive) throw invalidArgument(`Upstream is not active: ${asked}`);
    await registry.find(projectUuid);
    const runtime = registry.peek(asked);
    if (runtime === undefined) throw new GatewayError("unavailable", "The upstream is being changed. Try again.");
    const { upstream: known } = runtime;
    await runtime.refresh(hopOf(projectUuid)).catch((err: unknown) => {
      throw err instanceof UpstreamFailure ? toCallerError(known.prefix, err) : err;
    });
    const { snapshot } = runtime;
    const tools = snapshot === undefined ? [] : visibleTools(snapshot.tools, known, snapshot.pins);
    return {
      ...encodeUpstream(known, describeState(runtime)),
      tools: tools.map(({ name }) => joinToolName(known.prefix, name)),
    };
  },
});

const test = upstreams.about({
  name: "svc_test_upstream",
  description:
    "Tries an upstream, active or not, as if it were new, and says what happened at each step. Nothing is stored.",
  access: writeProject,
  timeoutMs: questionTimeoutMs,
  output: object({
    reachable: boolean(),
    steps: array(object({ name: string(), succeeded: boolean(), detail: string(), duration_ms: number() })),
  }),
  async run(id, _call, { database, writer, tryUpstream }: AdminContext) {
    const steps = await tryUpstream(await readUpstream(database, writer.keyring, id));
    return {
      reachable: steps.every(({ succeeded }) => succeeded),
      steps: steps.map(({ durationMs, ...step }) => ({ ...step, duration_ms: durationMs })),
    };
  },
});

const approve = upstreams.about({
  name: "svc_approve_tools",
  description:
    "Approves changed definitions of an upstream's tools: those that the caller has reviewed, by fingerprint; else the " +
    "present ones of the tools named, or of all.",
  access: writeProject,
  input: {
    tools: optional(
      array(toolName("A tool's name without the prefix."), {
        description: "All tools that have changed where absent.",
        min: 1,
        max: approvedToolsMax,
      }),
    ),
    fingerprints: optional(
      array(fingerprint, {
        description:
          "In place of tools: changed_fingerprint of each definition to approve, as svc_list_upstream_tools listed it. " +
          "Nothing is approved if a tool has changed again since.",
        min: 1,
        max: approvedToolsMax,
      }),
    ),
  },
  output: object({ ...upstream.shape.properties, approved: array(string()) }),
  async run(asked, { input, initiator }, context: AdminContext) {
    const { tools, fingerprints } = input;
    if (tools !== undefined && fingerprints !== undefined) {
      throw invalidArgument("Send either tools or fingerprints, not both.");
    }
    const choice = fingerprints === undefined ? { names: tools ?? [] } : { hashes: fingerprints };
    const { upstream: known, approved } = await approveUpstreamTools(context.writer, initiator, { id: asked, choice });
    await context.registry.find(known.projectUuid);
    return { ...show(known, context), approved };
  },
});

const toolDefinition = object({ name: string(), description: string(), inputSchema: looseObject() });

const listTools = upstreams.about({
  name: "svc_list_upstream_tools",
  description:
    "Lists an upstream's tools by name with the definition that was approved; changed_definition is what the upstream shows " +
    "instead, null where it shows the approved one, and changed_fingerprint identifies it in svc_approve_tools.",
  access: readProject,
  input: { changed: withDefault(boolean("Whether only tools that have changed are listed."), false), ...page },
  output: pageOf(
    "tools",
    object({
      name: string(),
      definition: toolDefinition,
      changed_definition: nullable(toolDefinition),
      changed_fingerprint: nullable(string()),
      approved_at: string(),
    }),
  ),
  async run(id, { input: { changed, limit, cursor = "" } }, { database }: AdminContext) {
    const query = { upstreamId: id, isChangedOnly: changed, limit, cursor };
    return encodePage("tools", await listPinnedTools(database, query), showTool);
  },
});

const remove = upstreams.about({
  name: "svc_delete_upstream",
  description: "Removes an upstream with its catalogue and approved definitions. Its tools are no longer listed.",
  access: writeProject,
  output: object({ ...upstream.shape.properties, deleted: boolean() }),
  async run(id, { initiator }, { writer }: AdminContext) {
    const deleted = await deleteUpstream(writer, initiator, id);
    return { ...encodeUpstream(deleted, describeState(undefined)), deleted: true };
  },
});

/** Operations on upstream MCP servers and their tools; answers never contain a bearer token. */
export const upstreamOperations = [create, listAll, listTools, update, refresh, test, approve, remove] as const;

interface ListedUpstream extends Upstream {
  /** The state that the process with the last use of the upstream knows; undefined: this process's state. */
  readonly latestState?: JsonObject | undefined;
}

function show({ latestState, ...known }: ListedUpstream, { registry }: AdminContext): JsonObject {
  return encodeUpstream(known, latestState ?? describeState(registry.peek(known.id)));
}

/** Definitions were written as JSON by this service. */
function showTool({ name, approvedDefinition, seenDefinition, seenHash, approvedAt }: PinnedTool): JsonObject {
  return {
    name,
    definition: JSON.parse(approvedDefinition) as JsonObject,
    changed_definition: seenDefinition === null ? null : (JSON.parse(seenDefinition) as JsonObject),
    changed_fingerprint: seenHash,
    approved_at: approvedAt.toISOString(),
  };
}

/** Null removes the token. */
function toSecret(
  { writer }: AdminContext,
  token: string | null | undefined,
  projectUuid: string,
): Secret | null | undefined {
  return typeof token === "string" ? giveSecret(writer.keyring, token, projectUuid) : token;
}

function warningOf({ writer }: AdminContext, token: Secret | null | undefined): string | null {
  return token === undefined || token === null ? null : secretWarning(writer.keyring, token);
}
