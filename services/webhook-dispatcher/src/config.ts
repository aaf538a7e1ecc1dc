import { type Environment, type EnvReader, readKeyring } from "@gatehouse/config";
import { type EgressConfig, readEgressConfig } from "@gatehouse/egress";
import { type DatabaseConfig, loadProcessConfig, type OwnProcessConfig, readPoolConfig } from "@gatehouse/service";
import type { Keyring } from "@gatehouse/vault";

/** Settings of `createWebhookDispatcherService` in any host; the service calls no other, so they name no peer. */
export interface WebhookDispatcherConfig extends DatabaseConfig {
  /** Seals the root keys of projects. */
  readonly keyring: Keyring;
  readonly egress: EgressConfig;
  /** Bound of one delivery: resolution, connection, TLS, request and reply together. */
  readonly timeoutMs: number;
  /** Prefix of the contract's headers, such as `X-Service`. */
  readonly headerPrefix: string;
  /** Deliveries in flight of one process: to one webhook, and in total. */
  readonly concurrencyMax: number;
  readonly inFlightMax: number;
  /** Longest time from claim to start, and longest time of recording the outcome. */
  readonly leaseMs: number;
  /** Retention of deliveries. */
  readonly retentionDays: number;
}

type WebhookDispatcherProcessConfig = WebhookDispatcherConfig & OwnProcessConfig;

/** Reads the settings that all hosts share; see docs/configuration.md. */
export function readWebhookDispatcherConfig(env: EnvReader): Omit<WebhookDispatcherConfig, "databaseUrl" | "keyring"> {
  return {
    ...readPoolConfig(env),
    egress: readEgressConfig(env),
    timeoutMs: env.integer("WEBHOOK_TIMEOUT_MS", { default: 10_000, min: 100, max: 120_000 }),
    headerPrefix: readHeaderPrefix(env),
    concurrencyMax: env.integer("WEBHOOK_CONCURRENCY_PER_WEBHOOK", {
      default: 8,
      min: 1,
      max: 256,
      formerName: "WEBHOOK_LANE_WIDTH",
    }),
    inFlightMax: env.integer("WEBHOOK_IN_FLIGHT_MAX", { default: 1_024, min: 1, max: 20_000 }),
    leaseMs: env.integer("WEBHOOK_LEASE_MS", { default: 10_000, min: 500, max: 600_000 }),
    retentionDays: env.integer("WEBHOOK_RETENTION_DAYS", { default: 30, min: 1, max: 3_650 }),
  };
}

/** @throws ConfigError naming every invalid setting */
export function loadConfig(environment: Environment): WebhookDispatcherProcessConfig {
  return loadProcessConfig(environment, "webhook-dispatcher", (env) => ({
    ...readWebhookDispatcherConfig(env),
    keyring: readKeyring(env),
  }));
}

/**
 * Names, and first words of names, of headers that have a meaning in HTTP, for proxies or in Standard Webhooks. Receivers and
 * proxies drop, merge or interpret such headers: they would get both values of `webhook-signature` as one.
 */
const takenPrefixes = (
  "accept access-control authorization connection content cookie expect forwarded host " +
  "if keep-alive proxy sec set-cookie te trailer transfer upgrade via webhook x-forwarded"
).split(" ");

function readHeaderPrefix(env: EnvReader): string {
  const prefix = env.text("WEBHOOK_HEADER_PREFIX", "X-Service");
  if (!/^[A-Za-z][A-Za-z0-9-]{0,39}$/.test(prefix) || prefix.endsWith("-")) {
    env.problem("WEBHOOK_HEADER_PREFIX", "must be the beginning of a header's name, such as X-Service");
  }
  const taken = takenPrefixes.find((name) => `${prefix.toLowerCase()}-`.startsWith(`${name}-`));
  if (taken !== undefined) {
    const problem = `must not begin with ${taken}, whose headers have another meaning; use a name such as X-Service`;
    env.problem("WEBHOOK_HEADER_PREFIX", problem);
  }
  return prefix;
}
