import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type Environment, EnvReader, type IntegerOptions, readPublicUrl, readServiceName } from "@gatehouse/config";
import { type EventsConfig, readEventsConfig } from "@gatehouse/events";
import type { HttpServerBounds, SharedPort } from "@gatehouse/http";
import { parsePeerUrl } from "@gatehouse/peers";
import {
  type BareHostConfig,
  type GatewayLogConfig,
  readBareHostConfig,
  readBodySizeBytesMax,
  readGatewayLogConfig,
  readResendsLostCalls,
  readRpcAddress,
} from "@gatehouse/service";
import { defaultPorts, isTlsConfigured, refusePlaintext, type ServiceName } from "@gatehouse/trust";
import { type BodyRates, toBodyRates } from "./domain/body-rate-limiter.ts";
import { parseTrustedProxies, type TrustedProxies } from "./domain/client.ts";
import { type ShareBounds, toShareBounds } from "./domain/fair-share-limiter.ts";
import { inheritedSocket } from "./domain/inherited-socket.ts";
import { parseOrigin } from "./domain/origin-check.ts";
import type { PrincipalCacheBounds } from "./domain/principal-answer.ts";

/** Settings of the router itself: without the addresses of services, which may run in this process. */
export interface RouterConfig {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  readonly serviceName: string;
  /** Public address, such as `https://gateway.example.com`; undefined: the origin of each request. */
  readonly publicUrl: string | undefined;
  /** URL with `{trace_id}` for links from the console; undefined: no links. */
  readonly traceUrlTemplate: string | undefined;
  /** Origins, besides the gateway's own, whose pages may call data-plane routes. */
  readonly allowedOrigins: readonly string[];
  readonly http: HttpServerBounds;
  readonly requests: RequestBounds;
  readonly authentication: AuthenticationConfig;
  readonly stopping: StopBounds;
  readonly operations: OperationsPort;
  readonly trustedProxies: TrustedProxies;
  readonly unauthenticated: UnauthenticatedBounds;
}

/** Address of `/readyz` and `/metrics`, which need no key there. */
export interface OperationsPort {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
}

interface UnauthenticatedBounds {
  /** Look-ups of unknown tokens per address. */
  readonly lookupsPerMinute: number;
  /** Entries of the gateway log per address. */
  readonly logEntriesPerMinute: number;
}

interface RequestBounds {
  readonly bodySizeBytesMax: number;
  /** Characters of the request target, query included. */
  readonly pathLengthMax: number;
  readonly shares: ShareBounds;
  readonly bodyRates: BodyRates;
}

/** Bounds of the caches of principals and of questions to the control plane, from the settings `AUTH_…`. */
export interface AuthenticationConfig extends PrincipalCacheBounds {
  /** Milliseconds. */
  readonly questionTimeoutMs: number;
}

interface StopBounds {
  /** Time for which requests are accepted while `/readyz` already answers 503, milliseconds. */
  readonly noticeMs: number;
  /** Longest wait for requests in flight after that, milliseconds. */
  readonly drainMs: number;
}

/** Settings of a router, with the addresses of services in other processes. */
export interface RouterMemberConfig {
  readonly router: RouterConfig;
  /** `host:port`, or several separated by commas; the URLs below likewise. */
  readonly controlPlaneRpcAddress: string;
  readonly controlPlaneUrl: string;
  readonly chatUrl: string;
  readonly apiProxyUrl: string;
  readonly mcpBridgeUrl: string;
  readonly mcpAggregatorUrl: string;
  readonly forwarding: ForwardBounds;
  /** Folder of the built console; relative to the working directory unless absolute. */
  readonly consoleFolder: string;
  /** Present where other processes listen on the port of clients as well. */
  readonly sharedPort?: SharedPort;
}

/** Further settings of a router in a separate process. */
export interface RouterProcessConfig extends RouterMemberConfig, GatewayLogConfig {
  readonly host: BareHostConfig;
  readonly events: EventsConfig;
}

interface ForwardBounds {
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  /** Longest silence of a WebSocket, milliseconds. */
  readonly upgradeIdleTimeoutMs: number;
  /** Connections to each process of a service. */
  readonly connectionsMax: number;
  readonly resendsLostCalls: boolean;
}

/** Upper bound of the age of a control plane's answer; configuration can only lower it. */
const freshMsMax = 5_000;
const minutesMs = 60_000;
const mebibyte = 1024 * 1024;
const anyAddresses: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** Default of a separate process: a balancer polls `/readyz` about as often, and idle connections are closed meanwhile. */
const stopNoticeMsDefault = 1_000;

/** @throws ConfigError naming every invalid setting */
export function loadConfig(environment: Environment): RouterProcessConfig {
  const env = new EnvReader(environment);
  const host = readBareHostConfig(env);
  const config: RouterProcessConfig = {
    ...readRouterMemberConfig(env, stopNoticeMsDefault),
    host,
    events: readEventsConfig(env, host.trust),
    ...readGatewayLogConfig(env),
  };
  env.finish();
  return config;
}

/** Reads the settings of a router in any set of services. Problems stay in `env`, which the caller finishes. */
export function readRouterMemberConfig(env: EnvReader, stopNoticeMs = 0): RouterMemberConfig {
  return {
    router: readRouterConfig(env, stopNoticeMs),
    consoleFolder: readConsoleFolder(env),
    controlPlaneRpcAddress: readRpcAddress(env, "CONTROL_PLANE_RPC_ADDRESS", "control-plane"),
    controlPlaneUrl: readServiceUrl(env, "CONTROL_PLANE_URL", "control-plane"),
    chatUrl: readServiceUrl(env, "CHAT_URL", "chat"),
    apiProxyUrl: readServiceUrl(env, "API_PROXY_URL", "api-proxy"),
    mcpBridgeUrl: readServiceUrl(env, "MCP_BRIDGE_URL", "mcp-bridge"),
    mcpAggregatorUrl: readServiceUrl(env, "MCP_AGGREGATOR_URL", "mcp-aggregator"),
    forwarding: readForwardBounds(env),
    ...readInheritedPort(env),
  };
}

/** Without the setting, the console may be missing: a router alone may run from sources that are not built. */
function readConsoleFolder(env: EnvReader): string {
  const name = "CONSOLE_FOLDER";
  const folder = env.optionalText(name);
  if (folder !== undefined && !existsSync(join(folder, "index.html")))
    env.problem(name, "must be the folder of the built console, which has an index.html");
  return folder ?? "services/console/dist/app";
}

/**
 * The port of clients where the parent process holds it (`LISTEN_FDS`, as systemd's socket units set it), so that connections
 * wait between the end of one router and the start of the next. Ignores variables meant for another process.
 */
function readInheritedPort(env: EnvReader): Pick<RouterMemberConfig, "sharedPort"> {
  const forProcess = env.integer("LISTEN_PID", { default: process.pid, min: 1, max: 2 ** 31 - 1 });
  const count = env.integer("LISTEN_FDS", { default: 0, min: 0, max: 65_535 });
  if (count === 0 || forProcess !== process.pid) return {};
  if (count > 1) env.problem("LISTEN_FDS", "must be 1: the router takes one socket, that of its clients");
  return { sharedPort: { socket: inheritedSocket } };
}

function readForwardBounds(env: EnvReader): ForwardBounds {
  const ms = (name: string, fallback: number, min: number) =>
    env.integer(name, { default: fallback, min, max: 60 * minutesMs });
  return {
    headersTimeoutMs: ms("UPSTREAM_HEADERS_TIMEOUT_MS", 10 * minutesMs, 100),
    bodyTimeoutMs: ms("UPSTREAM_BODY_TIMEOUT_MS", 5 * minutesMs, 100),
    upgradeIdleTimeoutMs: ms("PROXY_WEBSOCKET_IDLE_TIMEOUT_MS", 10 * minutesMs, 1),
    connectionsMax: env.integer("UPSTREAM_CONNECTIONS_MAX", { default: 1_024, min: 1, max: 65_535 }),
    resendsLostCalls: readResendsLostCalls(env),
  };
}

function readServiceUrl(env: EnvReader, name: string, target: ServiceName): string {
  const isSecured = isTlsConfigured(env);
  const text = env.text(name, `${isSecured ? "https" : "http"}://127.0.0.1:${defaultPorts(target).http}`);
  const url = parsePeerUrl(text);
  if (url === undefined)
    env.problem(name, "must be http://host:port or https://host:port, or several of these separated by commas");
  else if (isSecured && url.scheme === "http") env.problem(name, "must begin with https:// where certificates are set");
  else if (!isSecured && url.scheme === "https")
    env.problem(
      name,
      "begins with https://, which needs certificates: set GATEHOUSE_TLS_CERTIFICATE_FILE, GATEHOUSE_TLS_KEY_FILE and GATEHOUSE_TLS_CA_FILE, or use http://",
    );
  else if (url.scheme === "http")
    refusePlaintext(
      env,
      name,
      url.addresses.map(({ host }) => host),
    );
  return text;
}

/** Reads the settings of the router itself. Problems stay in `env`, which the caller finishes. */
export function readRouterConfig(env: EnvReader, stopNoticeMs = 0): RouterConfig {
  const ms = (name: string, fallback: number, max: number) => env.integer(name, { default: fallback, min: 1, max });
  const bodySizeBytesMax = readBodySizeBytesMax(env);
  return {
    ...readPorts(env),
    serviceName: readServiceName(env),
    publicUrl: readPublicUrl(env),
    traceUrlTemplate: readTraceUrlTemplate(env),
    allowedOrigins: readOrigins(env),
    http: {
      headersTimeoutMs: ms("HEADERS_TIMEOUT_MS", 10_000, 10 * minutesMs),
      requestTimeoutMs: ms("REQUEST_TIMEOUT_MS", 60_000, 60 * minutesMs),
      keepAliveTimeoutMs: ms("KEEP_ALIVE_TIMEOUT_MS", 65_000, 60 * minutesMs),
      headerBytesMax: env.integer("HEADER_BYTES_MAX", { default: 16 * 1024, min: 1_024, max: mebibyte }),
      writeIdleTimeoutMs: env.integer("WRITE_IDLE_TIMEOUT_MS", { default: 30_000, min: 100, max: 60 * minutesMs }),
    },
    requests: {
      bodySizeBytesMax,
      pathLengthMax: env.integer("PATH_LENGTH_MAX", { default: 4_096, min: 64, max: 65_536 }),
      ...readShares(env, bodySizeBytesMax),
    },
    authentication: readAuthentication(env),
    stopping: {
      noticeMs: env.integer("STOP_NOTICE_MS", { default: stopNoticeMs, min: 0, max: 10 * minutesMs }),
      drainMs: env.integer("DRAIN_TIMEOUT_MS", { default: 8_000, min: 0, max: 10 * minutesMs }),
    },
    trustedProxies: readTrustedProxies(env),
    unauthenticated: {
      lookupsPerMinute: env.integer("STRANGER_LOOKUPS_PER_MINUTE", { default: 120, min: 1, max: 1_000_000 }),
      logEntriesPerMinute: env.integer("STRANGER_LOG_ENTRIES_PER_MINUTE", { default: 60, min: 0, max: 1_000_000 }),
    },
  };
}

function readPorts(env: EnvReader): Pick<RouterConfig, "host" | "port" | "operations"> {
  const clients = {
    host: env.text("HOST", "0.0.0.0"),
    port: env.integer("PORT", { default: defaultPorts("router").http, min: 0, max: 65_535 }),
  };
  const operations = {
    host: env.text("OPS_HOST", "0.0.0.0"),
    port: env.integer("OPS_PORT", { default: 9_464, min: 0, max: 65_535 }),
  };
  const hosts = [clients.host, operations.host];
  const isOneAddress = clients.host === operations.host || hosts.some((host) => anyAddresses.has(host));
  if (clients.port !== 0 && clients.port === operations.port && isOneAddress)
    env.problem("OPS_PORT", "must differ from PORT, the port for clients; 0 selects a free port");
  return { ...clients, operations };
}

function readShares(env: EnvReader, bodySizeBytesMax: number): Pick<RequestBounds, "shares" | "bodyRates"> {
  const percent = (name: string, fallback: number, atMost?: IntegerOptions["atMost"]) =>
    env.integer(name, { default: fallback, min: 1, max: 100, atMost });
  const whole = {
    requestsInFlight: env.integer("REQUESTS_IN_FLIGHT_MAX", { default: 10_000, min: 1, max: 1_000_000 }),
    bufferedBytes: env.integer("BUFFERED_BYTES_MAX", { default: 512 * mebibyte, min: mebibyte, max: 2 ** 40 }),
    streams: env.integer("STREAMS_MAX", { default: 5_000, min: 1, max: 1_000_000 }),
  };
  const project = percent("PROJECT_SHARE_PERCENT", 25);
  const percents = {
    project,
    token: percent("TOKEN_SHARE_PERCENT", 20, { name: "PROJECT_SHARE_PERCENT", value: project }),
    address: percent("ADDRESS_SHARE_PERCENT", 10),
  };
  const ofProject = {
    bytesPerSecond: env.integer("BODY_BYTES_PER_SECOND", { default: 8 * mebibyte, min: 1_024, max: 2 ** 40 }),
    burstBytes: env.integer("BODY_BURST_BYTES", { default: 32 * mebibyte, min: 1_024, max: 2 ** 40 }),
  };
  return {
    shares: toShareBounds(whole, percents, bodySizeBytesMax),
    bodyRates: toBodyRates(ofProject, percents.token / percents.project, bodySizeBytesMax),
  };
}

function readTrustedProxies(env: EnvReader): TrustedProxies {
  const { proxies, bad } = parseTrustedProxies(env.text("TRUSTED_PROXIES", ""));
  if (bad.length > 0) {
    const list = bad.map((entry) => `'${entry}'`).join(", ");
    env.problem("TRUSTED_PROXIES", `must be networks such as 10.0.0.0/8, separated by commas; these are not: ${list}`);
  }
  return proxies;
}

function readOrigins(env: EnvReader): readonly string[] {
  const texts = env
    .text("ALLOWED_ORIGINS", "")
    .split(",")
    .map((text) => text.trim());
  const given = texts.filter((text) => text !== "");
  const origins = given.flatMap((text) => parseOrigin(text) ?? []);
  if (origins.length < given.length)
    env.problem("ALLOWED_ORIGINS", "must be origins such as https://chat.example.com, separated by commas");
  return origins;
}

function readAuthentication(env: EnvReader): AuthenticationConfig {
  const freshMs = env.integer("AUTH_FRESH_MAX_MS", { default: freshMsMax, min: 100, max: freshMsMax });
  const staleMs = env.integer("AUTH_STALE_MAX_MS", { default: 5 * minutesMs, min: 0, max: 24 * 60 * minutesMs });
  // An answer that is not old yet is used without a question, so a lower bound would be exceeded.
  if (staleMs > 0 && staleMs < freshMs) env.problem("AUTH_STALE_MAX_MS", "must be 0 or at least AUTH_FRESH_MAX_MS");
  return {
    freshMs,
    staleMs,
    entriesMax: env.integer("AUTH_CACHE_ENTRIES_MAX", { default: 50_000, min: 1, max: 10_000_000 }),
    unknownMs: env.integer("AUTH_UNKNOWN_MS", { default: 2_000, min: 0, max: freshMsMax }),
    unknownEntriesMax: env.integer("AUTH_UNKNOWN_ENTRIES_MAX", { default: 10_000, min: 1, max: 1_000_000 }),
    questionsInFlightMax: env.integer("AUTH_QUESTIONS_IN_FLIGHT_MAX", { default: 256, min: 1, max: 65_535 }),
    questionTimeoutMs: env.integer("AUTH_QUESTION_TIMEOUT_MS", { default: 2_000, min: 1, max: 30_000 }),
  };
}

function readTraceUrlTemplate(env: EnvReader): string | undefined {
  const name = "TRACE_URL_TEMPLATE";
  const template = env.optionalText(name);
  const isUsable = template === undefined || (/^https?:\/\//.test(template) && template.includes("{trace_id}"));
  if (!isUsable) env.problem(name, "must be an http(s) address with {trace_id} in it");
  return template;
}
