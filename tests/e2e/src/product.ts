import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { get as getEncrypted } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { FollowedCertificates } from "@gatehouse/certificates/testing";
import { holdPort } from "@gatehouse/http";
import { findFreePorts } from "@gatehouse/ports";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import { type ServiceName, settingPrefix } from "@gatehouse/trust";
import { createTestTrust } from "@gatehouse/trust/testing";
import { type Child, startChild } from "./child.ts";

/** The composed product as a client sees it, with means to administer and stop it. */
export interface Product {
  readonly url: string;
  /** Addresses of every router, `url` first. */
  readonly urls: readonly string[];
  /** Address of the operations port: `/healthz`, `/readyz`, `/metrics`. */
  readonly operationsUrl: string;
  /** `/metrics` addresses of the processes, in the order of `processes`. */
  readonly metricsUrls: readonly string[];
  readonly adminKey: string;
  /** Output of all processes. */
  output(): string;
  readonly processes: readonly Child[];
  /** Stops a process, by default with SIGTERM, starts it again, and waits until it is ready. */
  restart(at: number, signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  stop(): Promise<void>;
}

export interface ProductOptions {
  readonly env?: Readonly<Record<string, string>>;
}

export interface ServicesOptions extends ProductOptions {
  /** Services with a second process; these follow the first ones, in this order. */
  readonly doubled?: readonly ServiceName[];
  /** Folder of another built version for the second processes; default: this one. */
  readonly otherVersion?: string | undefined;
  /** Services that share a process (`gatehouse serve`), by set; the others run alone. */
  readonly sets?: readonly (readonly ServiceName[])[];
  /** Whether the first router's port stays open while no process listens, as with a socket unit of systemd. */
  readonly holdsPort?: boolean;
  /** Present: services use TLS among each other, with these certificates. */
  readonly certificates?: FollowedCertificates;
}

const readyTimeoutMs = 150_000;

/** Starts the product in one process, on a new database. */
export async function startStandalone({ env = {} }: ProductOptions = {}): Promise<Product> {
  const database = await createTestDatabase();
  const home = await mkdtemp(join(tmpdir(), "gatehouse-e2e-"));
  const [port = 0, operationsPort = 0] = await findFreePorts(2);
  const adminKey = newAdminKey();
  const child = startChild("deploy/standalone/dist/bundle/main.js", {
    PORT: String(port),
    OPS_PORT: String(operationsPort),
    GATEHOUSE_HOME: home,
    GATEHOUSE_DEMO: "off",
    GATEHOUSE_ADMIN_KEY: adminKey,
    DATABASE_URL: database.url,
    ...env,
  });
  const cleanUp = async () => {
    await rm(home, { recursive: true, force: true });
    await database.drop();
  };
  const url = `http://127.0.0.1:${port}`;
  const operationsUrl = `http://127.0.0.1:${operationsPort}`;
  const urls = { url, urls: [url], operationsUrl, metricsUrls: [operationsUrl] };
  return await becomeReady({ ...urls, adminKey, children: [child], cleanUp });
}

/** Services in the order of `Product.processes`: the router first, whose readiness is on its operations port. */
export const processNames = [
  "router",
  "control-plane",
  "chat",
  "guardrail",
  "mcp-bridge",
  "mcp-aggregator",
  "api-proxy",
  "webhook-dispatcher",
  "logbook",
] as const satisfies readonly ServiceName[];

const consumers: ReadonlySet<ServiceName> = new Set(["logbook", "webhook-dispatcher"]);

/**
 * Starts every service as a separate process over HTTP and gRPC, on a new database unless `env` names one. Tests address a
 * process by its service's index in `processNames`.
 */
export async function startServices(options: ServicesOptions = {}): Promise<Product> {
  const { env = {}, doubled = [], sets = [], certificates, holdsPort = false, otherVersion } = options;
  const given = env["DATABASE_URL"];
  const database = given === undefined ? await createTestDatabase() : { url: given, drop: async () => {} };
  const home = await mkdtemp(join(tmpdir(), "gatehouse-e2e-"));
  const names = [...processNames, ...doubled];
  const ports = await findFreePorts(3 * names.length);
  const places = names.map((name, at) => {
    const [http = 0, rpc = 0, operations = 0] = ports.slice(3 * at);
    return { name, http, rpc, operations };
  });
  const held = holdsPort ? await holdPort({ host: "127.0.0.1", port: places[0]?.http ?? 0 }) : undefined;
  const adminKey = newAdminKey();
  const trust = createTestTrust();
  const scheme = certificates === undefined ? "http" : "https";
  const common = {
    HOST: "127.0.0.1",
    OPS_HOST: "127.0.0.1",
    DATABASE_URL: database.url,
    GATEHOUSE_ADMIN_KEY: adminKey,
    AUDIT_CHECKPOINT_KEY: randomBytes(32).toString("base64url"),
    GATEHOUSE_KEYRING: `k1:${randomBytes(32).toString("base64")}`,
    ...addressesOf(places, scheme),
    ...env,
  };
  const ownOf = (place: Place, at: number) => ({
    ...trust.env(place.name),
    ...certificates?.env(place.name),
    ...placeEnv(place, join(home, `${place.name}-${at}`)),
  });
  const isInSet = ({ name }: Place) => sets.some((set) => set.includes(name));
  const alone = places.filter((place) => !isInSet(place));
  const children = [
    ...sets.map((set) => {
      const own = places.filter(({ name }) => set.includes(name)).map((place, at) => prefixed(place, ownOf(place, at)));
      return startChild(
        "deploy/serve/dist/main.js",
        { ...common, ...Object.assign({}, ...own) },
        { args: [set.join(",")] },
      );
    }),
    ...alone.map((place) =>
      startChild(
        `services/${place.name}/dist/main.js`,
        { ...common, ...ownOf(place, places.indexOf(place)) },
        {
          ...(place === places[0] ? { listenFd: held?.fd } : {}),
          ...(places.indexOf(place) < processNames.length ? {} : { root: otherVersion }),
        },
      ),
    ),
  ];
  const cleanUp = async () => {
    held?.release();
    await rm(home, { recursive: true, force: true });
    await database.drop();
  };
  const found = urlsOf(places, { scheme, hasBroker: env["NATS_URL"] !== undefined });
  return await becomeReady({ ...found, adminKey, children, cleanUp });
}

interface Surroundings {
  readonly scheme: "http" | "https";
  /** Without a broker, services that consume events are unready, and so are not awaited. */
  readonly hasBroker: boolean;
}

/** Addresses of the processes for clients and probes. The router's readiness excludes services that most calls do not need. */
function urlsOf(places: readonly Place[], { scheme, hasBroker }: Surroundings) {
  const urls = places.filter(({ name }) => name === "router").map(({ http }) => `http://127.0.0.1:${http}`);
  const [operationsUrl = "", ...readyUrls] = places.map(({ name, http, operations }) =>
    name === "router" ? `http://127.0.0.1:${operations}` : `${scheme}://127.0.0.1:${http}`,
  );
  const isAwaited = (name: ServiceName) => hasBroker || !consumers.has(name);
  const alsoReady = readyUrls.map((url, at) => (isAwaited(places[at + 1]?.name ?? "router") ? url : operationsUrl));
  return { url: urls[0] ?? "", urls, operationsUrl, metricsUrls: [operationsUrl, ...readyUrls], alsoReady };
}

interface Place {
  readonly name: ServiceName;
  readonly http: number;
  readonly rpc: number;
  readonly operations: number;
}

function placeEnv({ http, rpc, operations }: Place, folder: string) {
  return {
    PORT: String(http),
    RPC_PORT: String(rpc),
    OPS_PORT: String(operations),
    SPILL_FOLDER: folder,
    LOGBOOK_DATA_FOLDER: folder,
  };
}

/** Settings of one service of a set: `CHAT__PORT` and so on. */
function prefixed({ name }: Place, settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const prefix = settingPrefix(name);
  return Object.fromEntries(Object.entries(settings).map(([variable, value]) => [`${prefix}__${variable}`, value]));
}

/** Addresses of services for each other: `CHAT_URL`, `CHAT_RPC_ADDRESS` and so on. */
function addressesOf(
  places: readonly { readonly name: string; readonly http: number; readonly rpc: number }[],
  scheme: string,
) {
  const addresses: Record<string, string> = {};
  const add = (variable: string, address: string) => {
    addresses[variable] = [...(addresses[variable]?.split(",") ?? []), address].join(",");
  };
  for (const { name, http, rpc } of places) {
    const variable = settingPrefix(name);
    add(`${variable}_URL`, `${scheme}://127.0.0.1:${http}`);
    add(`${variable}_RPC_ADDRESS`, `127.0.0.1:${rpc}`);
  }
  return addresses;
}

interface Starting {
  readonly url: string;
  readonly urls: readonly string[];
  readonly operationsUrl: string;
  readonly metricsUrls: readonly string[];
  /** Services that must be ready besides. */
  readonly alsoReady?: readonly string[];
  readonly adminKey: string;
  readonly children: readonly Child[];
  readonly cleanUp: () => Promise<void>;
}

async function becomeReady({ alsoReady = [], children, cleanUp, ...product }: Starting): Promise<Product> {
  const output = () => children.map((child) => child.output()).join("\n");
  const stop = async () => {
    await Promise.all(children.map(async (child) => await child.stop()));
    await cleanUp();
  };
  try {
    for (const ready of [product.operationsUrl, ...alsoReady]) await waitUntilReady(ready, children);
  } catch (cause) {
    await stop();
    throw new Error(`The product did not become ready:\n${output()}`, { cause });
  }
  // The first process is the router or the whole product, whose readiness is on the operations port.
  const readyUrls = [product.operationsUrl, ...alsoReady];
  const restart = async (at: number, signal?: "SIGTERM" | "SIGKILL") => {
    await children[at]?.restart(signal);
    try {
      await waitUntilReady(readyUrls[at] ?? product.operationsUrl, children);
    } catch (cause) {
      throw new Error(`A process was not ready after its restart:\n${children[at]?.output() ?? ""}`, { cause });
    }
  };
  return { ...product, output, processes: children, restart, stop };
}

async function waitUntilReady(url: string, children: readonly Child[]): Promise<void> {
  const until = Date.now() + readyTimeoutMs;
  while (Date.now() < until) {
    if (children.some((child) => child.process.exitCode !== null)) throw new Error("A process ended.");
    if ((await statusOf(`${url}/readyz`)) === 200) return;
    await delay(50);
  }
  throw new Error(`Not ready within ${readyTimeoutMs} ms.`);
}

/** Like a probe: without a client certificate, and without verification of the server's. */
async function statusOf(url: string): Promise<number | undefined> {
  return await new Promise((resolve) => {
    const options = { rejectUnauthorized: false, agent: false } as const;
    const onReply = (reply: IncomingMessage) => (reply.resume(), resolve(reply.statusCode));
    const request = url.startsWith("https:")
      ? getEncrypted(url, options, onReply)
      : get(url, { agent: false }, onReply);
    request.once("error", () => resolve(undefined));
  });
}

function newAdminKey(): string {
  return `svc_admin_${randomBytes(24).toString("hex")}`;
}
