import { type AuditOrigin, readOrigin } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import { type Upstream, UpstreamAdminServiceDefinition } from "@gatehouse/proto/mcp-aggregator";
import { bindRpc, type CallContext, type RpcBinding } from "@gatehouse/rpc";

/** The aggregator's administration in memory: it calls nobody. */
export interface FakeUpstreams {
  readonly binding: RpcBinding<typeof UpstreamAdminServiceDefinition>;
  /** Who asked for each change. */
  readonly origins: AuditOrigin[];
  /** Tokens by the upstream's id. */
  readonly tokens: Map<number, string>;
  readonly deletedProjects: string[];
}

const at = new Date("2026-11-21T08:00:00.000Z");
const defaults = { allowed_tools: null, on_tools_changed: "warn" };

export function createFakeUpstreams(): FakeUpstreams {
  const upstreams = new Map<number, Upstream>();
  const tokens = new Map<number, string>();
  const origins: AuditOrigin[] = [];
  const deletedProjects: string[] = [];
  const change = (id: number, { metadata }: CallContext, changes: Partial<Upstream> = {}) => {
    const upstream = upstreams.get(id);
    if (upstream === undefined) throw new GatewayError("not_found", `Upstream not found: ${id}`);
    origins.push(readOrigin(metadata));
    const changed = { ...upstream, ...changes };
    upstreams.set(id, changed);
    return Promise.resolve({ upstream: changed });
  };
  const setToken = (id: number, token: string | undefined) => {
    if (token !== undefined) tokens.set(id, token);
    return tokens.has(id) && tokens.get(id) !== "";
  };
  const binding = bindRpc(UpstreamAdminServiceDefinition, {
    async createUpstream({ projectUuid, prefix, url, bearerToken, settingsJson }, context) {
      if (prefix.includes("__")) throw new GatewayError("invalid_argument", `Invalid prefix: ${prefix}. The rule.`);
      if (url.includes("169.254")) {
        throw new GatewayError("ssrf_blocked", "Upstream URL blocked by SSRF guard.", {
          details: { detail: "link-local" },
        });
      }
      const id = upstreams.size + 1;
      const hasBearerToken = setToken(id, bearerToken);
      upstreams.set(id, newUpstream({ id, projectUuid, prefix, url, hasBearerToken, settingsJson }));
      return await change(id, context);
    },
    async listUpstreams({ projectUuid }) {
      const owned = [...upstreams.values()].filter((upstream) => upstream.projectUuid === projectUuid);
      return await Promise.resolve({ upstreams: owned, nextCursor: "" });
    },
    updateUpstream: async ({ upstreamId, prefix, url, bearerToken, isActive, settingsJson }, context) =>
      await change(upstreamId, context, {
        hasBearerToken: setToken(upstreamId, bearerToken),
        ...(prefix === undefined ? {} : { prefix }),
        ...(url === undefined ? {} : { url }),
        ...(isActive === undefined ? {} : { isActive }),
        settingsJson: mergeSettings(settingsJson),
      }),
    async deleteUpstream({ upstreamId }, context) {
      const deleted = await change(upstreamId, context);
      upstreams.delete(upstreamId);
      return deleted;
    },
    refreshUpstream: async ({ upstreamId }, context) => ({
      ...(await change(upstreamId, context)),
      toolNames: ["one__echo"],
    }),
    async testUpstream({ upstreamId }, context) {
      await change(upstreamId, context);
      const step = { name: "resolve", succeeded: false, detail: "no address", durationMs: 3 };
      return { reachable: false, steps: [step] };
    },
    approveTools: async ({ upstreamId, toolNames }, context) => ({
      ...(await change(upstreamId, context)),
      approved: toolNames.length === 0 ? ["changed"] : toolNames,
    }),
    async deleteProject({ projectUuid }) {
      deletedProjects.push(projectUuid);
      return await Promise.resolve({});
    },
  });
  return { binding, origins, tokens, deletedProjects };
}

/** As the aggregator lays settings over the defaults; null gives one its default back. */
function mergeSettings(settingsJson: string | undefined): string {
  const given = JSON.parse(settingsJson ?? "{}") as Record<string, unknown>;
  const named = Object.entries(given).filter(([, value]) => value !== null);
  return JSON.stringify({ ...defaults, ...Object.fromEntries(named) });
}

type Given = Pick<Upstream, "id" | "projectUuid" | "prefix" | "url" | "hasBearerToken" | "settingsJson">;

function newUpstream(given: Given): Upstream {
  return {
    ...given,
    settingsJson: mergeSettings(given.settingsJson),
    isActive: true,
    state: {
      health: "unknown",
      era: "unknown",
      toolCount: 0,
      quarantined: [{ name: "bad", reason: "its inputSchema is not an object" }],
      changedTools: [],
      suspicious: [],
      lastError: "",
    },
    createdAt: at,
    updatedAt: at,
  };
}
