import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@gatehouse/ports";
import { postRequest, prompt, type Call } from "../call.ts";
import { startProcess } from "../child-process.ts";
import { createControlPlane, textOf, type ControlPlane } from "../control-plane.ts";
import { openLog } from "../log-file.ts";
import { builtEntry, repositoryFolder } from "../paths.ts";
import { waitUntilAnswers } from "../ports.ts";
import type { StartedSystem, Subject } from "../subject.ts";

/** Settings of an `ai_gateway` project for measurements; by default without limits and policies. */
export interface GatewaySetup {
  /** Name of the subject in tables. */
  readonly name: string;
  /** Further arguments of `svc_create_project`, `svc_create_token` and `svc_create_endpoint`. */
  readonly project?: Readonly<Record<string, unknown>>;
  readonly token?: Readonly<Record<string, unknown>>;
  readonly endpoint?: Readonly<Record<string, unknown>>;
  /** Members of each call's body, in addition to or instead of the message. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Credential that replaces the access token, for the project of that uuid. */
  readonly credential?: (projectUuid: string) => Promise<string>;
  /** Whether endpoints are called as MCP tools. */
  readonly isMcpTool?: boolean;
  /** Arguments of `svc_set_guardrails`, set on the project. */
  readonly guardrails?: Readonly<Record<string, unknown>>;
}

/** The product, running standalone. */
export interface Gatehouse extends StartedSystem {
  readonly controlPlane: ControlPlane;
  /** Folder for the CPU profile of `--profile`, written when the product stops. */
  readonly profileFolder?: string | undefined;
  /** Creates a separate project with a token, and endpoints as calls need them. */
  createSubject(setup: GatewaySetup): Promise<Subject>;
}

export interface GatehouseOptions {
  readonly providerOrigin: string;
  readonly logFolder: string;
  readonly fromSource: boolean;
  readonly profile: boolean;
  /** A Postgres server of the run; absent: the product's embedded one, or that of `BENCH_DATABASE_URL`. */
  readonly databaseUrl?: string;
  /** Standalone where absent. */
  readonly topology?: "standalone" | "services";
  /** Root of another checkout, whose built product runs; absent: this one. */
  readonly checkout?: string | undefined;
  /** Settings beside those that every run has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Name of the log; absent: `gatehouse`. */
  readonly logName?: string;
}

const stopMs = 20_000;
/** Name of the product of another checkout in tables. */
export const otherBuild = "other build";

/** Starts the product with an empty data folder; undefined when there is no product to start.  @throws Error when it does not start. */
export async function startGatehouse(options: GatehouseOptions): Promise<Gatehouse | undefined> {
  const { topology = "standalone", checkout = repositoryFolder } = options;
  const entry = findEntry(options.fromSource, topology, checkout);
  if (!entry) return undefined;
  const home = mkdtempSync(join(tmpdir(), "gatehouse-bench-home-"));
  const adminKey = `svc_admin_${randomBytes(20).toString("hex")}`;
  const port = await findFreePort();
  const operationsPort = await findFreePort();
  const logFile = join(options.logFolder, `${options.logName ?? "gatehouse"}.log`);
  const log = openLog(logFile);
  const profileFolder = options.profile ? join(options.logFolder, "profile") : undefined;
  const profiling = profileFolder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
  const { pid, child, stop } = await startProcess([process.execPath, ...profiling, ...entry.command], {
    cwd: checkout,
    stdio: ["ignore", log, log],
    env: {
      ...productEnvironment({ port, operationsPort, home, adminKey, databaseUrl: options.databaseUrl }),
      ...options.env,
    },
  });
  const end = async () => {
    await stop(stopMs);
    rmSync(home, { recursive: true, force: true });
  };
  const origin = `http://127.0.0.1:${port}`;
  try {
    // An older build has no operations port and is ready on the public one.
    const ports = checkout === repositoryFolder ? [operationsPort] : [operationsPort, port];
    const urls = ports.map((at) => `http://127.0.0.1:${at}/readyz`);
    await waitUntilAnswers(urls, { child, timeoutMs: 90_000 });
    const controlPlane = createControlPlane(origin, adminKey);
    const { providerOrigin } = options;
    await controlPlane.call("svc_create_provider", {
      name: "bench",
      kind: "openai-compatible",
      base_url: `${providerOrigin}/v1`,
    });
    await controlPlane.call("svc_create_credential", { provider: "bench", name: "bench", api_key: "sk-bench" });
    const createSubject = (setup: GatewaySetup) =>
      createProject(controlPlane, setup, { port, group: { rootPid: pid, home } });
    const subject = await createSubject({ name: nameOf(options) });
    return { description: entry.description, subject, controlPlane, profileFolder, createSubject, stop: end };
  } catch (cause) {
    await end();
    throw new Error(`The product did not start; see ${logFile}`, { cause });
  }
}

/** The name of the system in tables. */
function nameOf({ topology, checkout, env }: GatehouseOptions): string {
  if (checkout !== undefined) return otherBuild;
  if (env?.["SERVICES_SETS"] !== undefined) return "co-hosted";
  return topology === "services" ? "services" : "gatehouse";
}

function findEntry(
  fromSource: boolean,
  topology: "standalone" | "services",
  checkout: string,
): { command: string[]; description: string } | undefined {
  const built = builtEntry(checkout, topology);
  const source = join(checkout, "deploy", topology, "src", "main.ts");
  // Services always run as they were built.
  if ((!fromSource || topology === "services") && existsSync(built))
    return { command: [built], description: `Gatehouse ${topology} (built)` };
  if (topology === "services" || !existsSync(source)) return undefined;
  return { command: ["--conditions=@gatehouse/source", source], description: `Gatehouse ${topology} (from source)` };
}

/** Where one product listens and keeps its data. */
export interface Placement {
  readonly port: number;
  readonly operationsPort: number;
  readonly home: string;
  readonly adminKey: string;
  readonly databaseUrl: string | undefined;
}

/** Environment of a product. Never uses an existing database or broker, except that of `BENCH_DATABASE_URL`. */
export function productEnvironment({
  port,
  operationsPort,
  home,
  adminKey,
  databaseUrl,
}: Placement): NodeJS.ProcessEnv {
  const { DATABASE_URL: _databaseUrl, NATS_URL: _natsUrl, BENCH_DATABASE_URL, ...inherited } = process.env;
  const url = databaseUrl ?? BENCH_DATABASE_URL;
  return {
    ...inherited,
    ...(url === undefined ? {} : { DATABASE_URL: url }),
    PORT: String(port),
    OPS_PORT: String(operationsPort),
    GATEHOUSE_HOME: home,
    GATEHOUSE_ADMIN_KEY: adminKey,
    GATEHOUSE_DEMO: "off",
    EGRESS_ALLOW: "127.0.0.1/32",
    // Scenarios simulate several client addresses.
    TRUSTED_PROXIES: "127.0.0.1/32",
    NODE_ENV: "production",
  };
}

async function createProject(
  controlPlane: ControlPlane,
  setup: GatewaySetup,
  at: Pick<Subject, "port" | "group">,
): Promise<Subject> {
  const unlimited = { rate_limit_per_minute: null, rate_limit_per_hour: null };
  const created = await controlPlane.call("svc_create_project", {
    name: `Bench: ${setup.name}`,
    project_type: "ai_gateway",
    ...unlimited,
    ...setup.project,
  });
  const project = textOf(created, "uuid");
  const minted = await controlPlane.call("svc_create_token", {
    project,
    name: "bench",
    scopes: [setup.isMcpTool ? "mcp" : "chat"],
    ...setup.token,
  });
  const authorization = `Bearer ${(await setup.credential?.(project)) ?? textOf(minted, "token")}`;
  if (setup.guardrails) await controlPlane.call("svc_set_guardrails", { project, ...setup.guardrails });
  const endpoints = new Map<string, Promise<unknown>>();
  const createEndpoint = (call: Call) =>
    controlPlane.call("svc_create_endpoint", {
      project,
      slug: call.name,
      targets: [{ provider: "bench", model: call.model }],
      streaming_enabled: call.stream,
      expose_as_mcp_tool: setup.isMcpTool ?? false,
      ...setup.endpoint,
    });
  return {
    ...at,
    name: setup.name,
    prepare: async (call) => {
      const ready = endpoints.get(call.name) ?? createEndpoint(call);
      endpoints.set(call.name, ready);
      await ready;
      if (setup.isMcpTool) return postRequest(`/api/${project}/mcp`, toolCallBody(call), { authorization });
      const body = { message: prompt, ...setup.body, ...(call.stream ? { stream: true } : {}) };
      return postRequest(`/api/${project}/${call.name}`, body, { authorization });
    },
  };
}

/** JSON-RPC envelope of a call of the endpoint as a tool. */
function toolCallBody({ name }: Call): object {
  const params = { name, arguments: { message: prompt } };
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params };
}
