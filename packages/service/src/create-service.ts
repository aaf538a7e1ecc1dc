import { noGatewayLog } from "@gatehouse/gateway-log";
import { StateServiceDefinition } from "@gatehouse/proto/service-state";
import { bindRpc } from "@gatehouse/rpc";
import { boundedAdministration } from "./bounded-administration.ts";
import { ConsumerGate } from "./consumer-gate.ts";
import type {
  DatabaseKernel,
  DatabaseServiceOptions,
  Kernel,
  OutboxKernel,
  OutboxServiceOptions,
  PlainServiceOptions,
  RowsOptions,
  ServiceParts,
} from "./kernel.ts";
import { observeParts } from "./part-metrics.ts";
import { type Part, reportParts } from "./part.ts";
import { openRows, type Rows } from "./rows.ts";
import { createStateReader } from "./service-state.ts";
import type { Readiness, Service } from "./service.ts";
import { startPart } from "./start-part.ts";

/**
 * Creates a service from its parts. The kernel owns the pool and its migrations, the outbox and its relay, the change feed, the
 * reports of all parts, and the order of start and stop; `build` composes the rest. Nothing runs before the start. Order of
 * start: database, change feed, the service's parts, carriers of facts (relay, transport, gateway log), and the ports that it
 * opens itself. Order of stop: ports, consumers, the parts in reverse, carriers of facts, feed, database.
 */
export function createService<Name extends string>(
  options: OutboxServiceOptions<Name>,
  build: (kernel: OutboxKernel) => ServiceParts,
): Service;
/** A service with a database and no outbox. */
export function createService<Name extends string>(
  options: DatabaseServiceOptions<Name>,
  build: (kernel: DatabaseKernel) => ServiceParts,
): Service;
/** A service without a database. */
export function createService(options: PlainServiceOptions, build: (kernel: Kernel) => ServiceParts): Service;
export function createService(
  options: PlainServiceOptions | RowsOptions,
  build: (kernel: OutboxKernel) => ServiceParts,
): Service {
  const { name, host } = options;
  const { telemetry, gatewayLog = noGatewayLog } = host;
  const rows = options.database === undefined ? undefined : openRows(options);
  const gate = new ConsumerGate(host.events);
  const {
    rpc = [],
    http,
    parts = [],
    ports = [],
    endStreams,
  } = build({
    name,
    telemetry,
    log: telemetry.log,
    gatewayLog,
    consume: (consumer, { isEssential = true } = {}) => gate.consume(consumer, isEssential),
    state: async () => await readState(),
    // Unreachable for typed callers, whose kernel lacks the member.
    get database() {
      return required(rows).database;
    },
    get feed() {
      return required(rows).feed;
    },
    get audit() {
      return required(rows).audit;
    },
    openStore: (connect, encode) => required(rows).openStore(connect, encode),
  });
  const giveUpWhenSilent = () => rows?.giveUpWhenSilent();
  const bounded = rows === undefined ? rpc : rpc.map((binding) => boundedAdministration(binding, rows.database));
  const consumers: Part = { name: "consumers", start: () => gate.open(), stop: async () => await gate.close() };
  const facts = [...(host.owned ?? []), ...(rows?.facts ?? [])];
  const ways = [reportLog(gatewayLog), gate.report(host.owned === undefined)];
  const report = [...(rows?.parts ?? []), ...parts, ...ports, ...facts, ...ways];
  observeParts(telemetry.metrics, name, report);
  const lifecycle = new Lifecycle({
    start: [...(rows?.parts ?? []), ...parts, consumers, ...facts, ...ports],
    stop: [...[...parts, consumers, ...ports].toReversed(), ...[...(rows?.parts ?? []), ...facts].toReversed()],
    ofRows: new Set(rows === undefined ? [] : [...rows.parts, ...parts, ...rows.facts]),
    report,
    telemetry,
    onStopping: giveUpWhenSilent,
  });
  const readState = createStateReader(async () => await lifecycle.readiness(), report, telemetry.log);
  return {
    name,
    rpc: [...bounded, bindRpc(StateServiceDefinition, { getState: readState })],
    ...(http === undefined ? {} : { http }),
    ...(endStreams === undefined ? {} : { endStreams }),
    giveUpWhenSilent,
    start: async (startOptions) => await lifecycle.start(startOptions),
    stop: async () => await lifecycle.stop(),
    readiness: async () => await lifecycle.readiness(),
  };
}

interface LifecycleOptions {
  readonly start: readonly Part[];
  /** Parts whose start may use the service's database, and wait for it: none of a service without one, and never a port. */
  readonly ofRows: ReadonlySet<Part>;
  readonly stop: readonly Part[];
  readonly report: readonly Part[];
  readonly telemetry: Kernel["telemetry"];
  /** Called before the first part stops. */
  readonly onStopping: () => void;
}

class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #tried = new Set<Part>();
  readonly #stopping = new AbortController();
  /** Reason for not being ready before parts report. */
  #waitsFor: string | undefined = "not started";
  #starting: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  async start({ isPatient = false }: { readonly isPatient?: boolean } = {}): Promise<void> {
    this.#starting = this.#startParts(isPatient);
    await this.#starting;
  }

  async #startParts(isPatient: boolean): Promise<void> {
    const { signal: stopping } = this.#stopping;
    const { start, ofRows, telemetry } = this.#options;
    const { log } = telemetry;
    for (const part of start) {
      stopping.throwIfAborted();
      this.#waitsFor = `starting: ${part.name}`;
      this.#tried.add(part);
      const onWaiting = (reason: string) => (this.#waitsFor = `starting: ${reason}`);
      await startPart(part, { usesDatabase: ofRows.has(part), isPatient, stopping, log, onWaiting });
    }
    this.#waitsFor = undefined;
  }

  /** Stops everything that was started, also after a failed start. @throws the first failure, after everything else has stopped. */
  async stop(): Promise<void> {
    this.#stopped ??= this.#stopParts();
    await this.#stopped;
  }

  async #stopParts(): Promise<void> {
    this.#stopping.abort();
    this.#waitsFor = "stopping";
    this.#options.onStopping();
    await this.#starting.catch(() => {});
    const failures: unknown[] = [];
    for (const part of this.#options.stop) {
      if (!this.#tried.has(part) && part.mustClose !== true) continue;
      try {
        await part.stop?.();
      } catch (err) {
        failures.push(err);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  async readiness(): Promise<Readiness> {
    if (this.#waitsFor !== undefined) return { ready: false, problems: [this.#waitsFor] };
    return await reportParts(this.#options.report, this.#options.telemetry.log);
  }
}

/** The log may be that of several services of the process: each then reports it. */
function reportLog(gatewayLog: Kernel["gatewayLog"]): Part {
  return { name: "gateway log", notices: () => gatewayLog.notices() };
}

function required(rows: Rows | undefined): Rows {
  if (rows === undefined) throw new TypeError("The service has no database.");
  return rows;
}
