import { type EnvReader, type OtlpExport, readOtlpExport } from "@gatehouse/config";
import { findDatabaseUrlProblem, reachOfDatabase } from "@gatehouse/database";
import { refusePlaintextBroker } from "@gatehouse/events";
import { parsePeerAddresses } from "@gatehouse/peers";
import type { LogLevel } from "@gatehouse/telemetry";
import {
  defaultPorts,
  isTlsConfigured,
  type Ports,
  readServiceTls,
  readServiceTrust,
  refusePlaintext,
  type ServiceName,
  type ServiceTls,
  type ServiceTrust,
} from "@gatehouse/trust";
import type { Secret } from "@gatehouse/vault";
import type { DatabaseConfig } from "./kernel.ts";

/** Keys and certificate with which processes authenticate each other. */
export interface ProcessTrust {
  /** The keys that the service signs with, and those that it accepts. */
  readonly trust: ServiceTrust;
  /** Its certificate; absent: connections to other services are not encrypted. */
  readonly tls?: ServiceTls | undefined;
}

/** Settings of a process whose service opens its ports itself, as the router does. */
export interface BareHostConfig extends ProcessTrust {
  readonly logLevel: LogLevel;
  readonly otlp: OtlpExport | undefined;
}

/** Settings of a process that listens for its service: addresses, and the bounds of an orderly stop. */
export interface HostConfig extends BareHostConfig {
  readonly host: string;
  readonly httpPort: number;
  readonly rpcPort: number;
  /** Longest time for requests in flight when the process stops, milliseconds. */
  readonly drainTimeoutMs: number;
  /** Time for which calls are still accepted after callers were asked to use other processes, milliseconds. */
  readonly stopNoticeMs: number;
  /** Longest time for which a router may not read a reply that waits for it, milliseconds. */
  readonly writeIdleTimeoutMs: number;
}

/**
 * Four times a router's own bound for its clients: while it serves a slow reader, it reads nothing until its buffers have room,
 * and ends that reader itself.
 */
const writeIdleTimeoutMsDefault = 120_000;

/** Two polls of a peer's state, which callers ask for every 500 ms (`packages/peers`). */
const stopNoticeMsDefault = 1_000;

/**
 * Reads the gRPC address of `target`: `host:port`, or several separated by commas; its usual port on this machine when absent.
 * Without certificates it must be on this machine.
 */
export function readRpcAddress(env: EnvReader, name: string, target: ServiceName): string {
  const text = env.text(name, `127.0.0.1:${defaultPorts(target).rpc}`);
  const addresses = parsePeerAddresses(text);
  if (addresses === undefined) env.problem(name, "must be host:port, or several of these separated by commas");
  else if (!isTlsConfigured(env))
    refusePlaintext(
      env,
      name,
      addresses.map(({ host }) => host),
    );
  return text;
}

/** Reads whether a model call of a killed process is sent to another one, although it may have reached a provider (docs/adr/0024). */
export function readResendsLostCalls(env: EnvReader): boolean {
  return env.oneOf("RESEND_LOST_CALLS", ["on", "off"], "on") === "on";
}

/** Reads the keys and the certificate of a process. Its broker must be on this machine, or use TLS. */
function readProcessTrust(env: EnvReader): ProcessTrust {
  const tls = readServiceTls(env);
  const trust = readServiceTrust(env, tls);
  refusePlaintextBroker(env);
  return { trust, tls };
}

/** By falling severity; `silent` writes nothing. */
export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** Whether a service's process listens for it. */
export function opensPorts(host: HostConfig | BareHostConfig): host is HostConfig {
  return "rpcPort" in host;
}

/**
 * Refuses `WORKERS`: a service has replicas, each with its own address (docs/adr/0029), and ignoring the setting would suggest
 * capacity that is not there.
 */
export function refuseWorkers(env: EnvReader): void {
  if (env.text("WORKERS", "1") === "1") return;
  env.problem("WORKERS", "is for npm start alone: run several processes of a service (docs/operations.md, Replicas)");
}

/** Reads the settings of a process without ports for the service. Problems are collected in `env`. */
export function readBareHostConfig(env: EnvReader): BareHostConfig {
  refuseWorkers(env);
  return {
    ...readProcessTrust(env),
    logLevel: env.oneOf("LOG_LEVEL", logLevels, "info"),
    otlp: readOtlpExport(env),
  };
}

/** Reads the addresses, bounds and keys of a service's process. @param ports defaults */
export function readHostConfig(env: EnvReader, ports: Ports): HostConfig {
  const port = (name: string, fallback: number) => env.integer(name, { default: fallback, min: 0, max: 65_535 });
  const host = env.text("HOST", "0.0.0.0");
  if (!isTlsConfigured(env)) refusePlaintext(env, "HOST", [host]);
  return {
    ...readBareHostConfig(env),
    host,
    httpPort: port("PORT", ports.http),
    rpcPort: port("RPC_PORT", ports.rpc),
    drainTimeoutMs: env.integer("DRAIN_TIMEOUT_MS", { default: 8_000, min: 0, max: 600_000 }),
    stopNoticeMs: env.integer("STOP_NOTICE_MS", { default: stopNoticeMsDefault, min: 0, max: 600_000 }),
    writeIdleTimeoutMs: env.integer("WRITE_IDLE_TIMEOUT_MS", {
      default: writeIdleTimeoutMsDefault,
      min: 100,
      max: 3_600_000,
    }),
  };
}

/** Reads the settings of every service with a database, in a process that hosts it alone. */
export function readDatabaseConfig(env: EnvReader): DatabaseConfig {
  const databaseUrl = env.requiredSecret("DATABASE_URL", "postgresql://user:password@host:5432/database");
  if (databaseUrl.reveal() !== "") {
    checkDatabaseUrl(env, databaseUrl);
    const { host, isEncrypted } = reachOfDatabase(databaseUrl);
    if (!isEncrypted) refusePlaintext(env, "DATABASE_URL", [host]);
  }
  return { databaseUrl, ...readPoolConfig(env) };
}

/** Reads `DATABASE_URL` where the host of all services may start a database instead. Problems are collected in `env`. */
export function readOptionalDatabaseUrl(env: EnvReader): Secret | undefined {
  const url = env.optionalSecret("DATABASE_URL");
  if (url !== undefined) checkDatabaseUrl(env, url);
  return url;
}

function checkDatabaseUrl(env: EnvReader, url: Secret): void {
  const problem = findDatabaseUrlProblem(url);
  if (problem !== undefined) env.problem("DATABASE_URL", problem);
}

/** Reads the settings of the pool that all ways to run a service share. */
export function readPoolConfig(env: EnvReader): Omit<DatabaseConfig, "databaseUrl"> {
  return { databaseConnectionsMax: env.integer("DATABASE_CONNECTIONS_MAX", { default: 10, min: 2, max: 1_000 }) };
}

/** Reads the number of texts whose results a process caches; 0 for none. */
export function readKnownTextsMax(env: EnvReader): number {
  return env.integer("KNOWN_TEXTS_MAX", { default: 20_000, min: 0, max: 10_000_000 });
}

/** Bounds of a request's body, for services that accept JSON. */
export interface BodyConfig {
  readonly bodySizeBytesMax: number;
  readonly bodyTimeoutMs: number;
}

const mebibyte = 1024 * 1024;

/** Reads the largest request body, for the router and the services behind it. */
export function readBodySizeBytesMax(env: EnvReader): number {
  return env.integer("BODY_SIZE_BYTES_MAX", { default: 4 * mebibyte, min: 1_024, max: 256 * mebibyte });
}

/** Reads the bounds of a request's body: 4 MiB and 30 s where none are set. */
export function readBodyConfig(env: EnvReader): BodyConfig {
  return {
    bodySizeBytesMax: readBodySizeBytesMax(env),
    bodyTimeoutMs: env.integer("BODY_TIMEOUT_MS", { default: 30_000, min: 1, max: 3_600_000 }),
  };
}

/** Settings of a service that keeps rows on disk. */
export interface SpillConfig {
  /** Folder for entries of the gateway log, and usage rows, that cannot be stored yet; see `createSpillPart`. */
  readonly spillFolder: string;
}

/** Settings of a service that writes the gateway log. */
export interface GatewayLogConfig {
  /** Folder for entries that cannot be published yet; absent: the outcomes of requests are not recorded. */
  readonly gatewayLogFolder?: string;
}

/** Reads it; one default for all services, so that processes of one machine share a folder. */
export function readSpillConfig(env: EnvReader): SpillConfig {
  return { spillFolder: env.text("SPILL_FOLDER", "./spill") };
}

/** Reads whether the outcomes of requests are recorded. */
export function readIsLogging(env: EnvReader): boolean {
  return env.oneOf("GATEWAY_LOG", ["on", "off"], "on") === "on";
}

/** Reads the settings of the gateway log, for a service that writes it. */
export function readGatewayLogConfig(env: EnvReader): GatewayLogConfig {
  const { spillFolder } = readSpillConfig(env);
  return readIsLogging(env) ? { gatewayLogFolder: spillFolder } : {};
}
