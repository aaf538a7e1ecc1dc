import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { createNatsTransport, type EventTransport, type StreamMessage } from "@gatehouse/events";
import { findNatsServer, startNatsServer as startOpenServer } from "@gatehouse/events/testing";
import { type NatsServer, startNatsServer } from "@gatehouse/nats-server";
import { findFreePort } from "@gatehouse/ports";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { type ServiceName, ServiceTrust } from "@gatehouse/trust";
import { Secret } from "@gatehouse/vault";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, headers, type NatsConnection, nkeyAuthenticator } from "@nats-io/transport-node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { initKeys } from "../src/index.ts";

const program = await findNatsServer();
const { log } = createSilentTelemetry();

let folder: string;
let port: number;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-broker-"));
  port = await findFreePort();
  const nats = { listen: `127.0.0.1:${port}`, storeFolder: join(folder, "data") };
  await initKeys({ folder, database: "127.0.0.1:1/x", nats });
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await rm(folder, { recursive: true });
});

const read = async (...path: string[]) => (await readFile(join(folder, ...path), "utf8")).trim();

const eventually = async (expectation: () => unknown) =>
  await vi.waitFor(expectation, { timeout: 25_000, interval: 20 });

/** A broker with the configuration written by `keys init`. */
async function startBroker(onLine: (line: string) => void = () => {}): Promise<NatsServer> {
  const configFile = join(folder, "nats", "nats.conf");
  const pidFile = join(folder, "pid");
  const server = await startNatsServer({ program: program ?? "", configFile, pidFile, port, onLine });
  ends.push(async () => await server.stop());
  return server;
}

async function trustOf(service: ServiceName): Promise<ServiceTrust> {
  return new ServiceTrust(
    { text: await read(service, "service-key.json") },
    { text: await read("public", "trust.json") },
  );
}

interface Opened {
  readonly transport: EventTransport;
  readonly stored: StreamMessage[];
  readonly reports: string[];
}

async function open(service: ServiceName, url?: string): Promise<Opened> {
  const opened = await begin(service, url);
  await eventually(() => expect(opened.transport.isConnected()).toBe(true));
  return opened;
}

/** A service whose transport has been started. */
async function begin(service: ServiceName, url = `nats://127.0.0.1:${port}`): Promise<Opened> {
  const transport = createNatsTransport({
    url: new Secret(url),
    service,
    log,
    nkeySeed: url.endsWith(`:${port}`) ? new Secret(await read(service, "nats-seed")) : undefined,
    trust: await trustOf(service),
  });
  const stored: StreamMessage[] = [];
  const reports: string[] = [];
  if (service === "logbook" || service === "webhook-dispatcher") {
    const store = async (batch: readonly StreamMessage[]) => void stored.push(...batch);
    transport.consume({ stream: "audit", name: service, batchSizeMax: 50, store });
  }
  transport.onStored(({ ids }) => reports.push(...ids));
  await transport.start();
  ends.push(async () => await transport.stop());
  return { transport, stored, reports };
}

const fact = (): StreamMessage => ({ id: randomUUID(), body: JSON.stringify({ text: "fact" }) });
const bodies = (messages: readonly StreamMessage[]) => messages.map(({ id, body }) => ({ id, body }));

/** A test client with the key of a service, as after a theft. */
async function connectAs(service: ServiceName): Promise<NatsConnection> {
  const seed = new TextEncoder().encode(await read(service, "nats-seed"));
  const authenticator = nkeyAuthenticator(seed);
  const inboxPrefix = `_INBOX_${service}`;
  const connection = await connect({ servers: `127.0.0.1:${port}`, authenticator, inboxPrefix, reconnect: false });
  ends.push(async () => await connection.close());
  return connection;
}

describe.skipIf(program === undefined)("a broker with the users of keys init", () => {
  test("delivers events to the services that store them, and reports back", async () => {
    await startBroker();
    const logbook = await open("logbook");
    const dispatcher = await open("webhook-dispatcher");
    const chat = await open("chat");
    const event = fact();
    await eventually(async () => await chat.transport.publish("audit", [event]));
    await eventually(() => {
      expect(bodies(logbook.stored)).toEqual([event]);
      expect(bodies(dispatcher.stored)).toEqual([event]);
      expect(chat.reports.filter((id) => id === event.id)).toHaveLength(2);
    });
  });

  test("logs no violation of a service that starts before the streams exist", async () => {
    const lines: string[] = [];
    await startBroker((line) => lines.push(line));
    const { transport } = await begin("chat");
    await eventually(async () => {
      expect(await transport.problems()).toEqual([
        "NATS is not connected: the stream AUDIT does not exist yet; the logbook service creates it",
      ]);
    });
    await open("logbook");
    await eventually(() => expect(transport.isConnected()).toBe(true));
    expect(lines.filter((line) => line.includes("Violation"))).toEqual([]);
  });

  test("refuses a client without a key", async () => {
    await startBroker();
    await expect(connect({ servers: `127.0.0.1:${port}`, reconnect: false })).rejects.toThrow(/auth/i);
  });

  test("refuses a service that writes under another's name, deletes, or reports storage", async () => {
    await startBroker();
    const logbook = await open("logbook");
    const chat = await open("chat");
    const bridge = await connectAs("mcp-bridge");
    const event = fact();
    await eventually(async () => await chat.transport.publish("audit", [event]));
    await eventually(() => expect(chat.reports).toEqual([event.id]));

    const timeout = 500;
    const manager = await jetstreamManager(bridge, { checkAPI: false, timeout });
    await expect(jetstream(bridge).publish("gatehouse.audit.chat", "{}", { timeout })).rejects.toThrow();
    await expect(manager.streams.deleteMessage("AUDIT", 1)).rejects.toThrow();
    await expect(manager.streams.purge("AUDIT")).rejects.toThrow();
    await expect(manager.streams.delete("AUDIT")).rejects.toThrow();
    await expect(manager.consumers.delete("AUDIT", "logbook")).rejects.toThrow();
    await expect(manager.streams.getMessage("AUDIT", { seq: 1 })).rejects.toThrow();
    await expect(manager.streams.add({ name: "TAKER", subjects: ["gatehouse.audit.mcp-bridge"] })).rejects.toThrow();
    await expect(manager.streams.update("AUDIT", { subjects: ["elsewhere"] })).rejects.toThrow();
    await expect(manager.consumers.update("AUDIT", "logbook", { filter_subject: "elsewhere" })).rejects.toThrow();
    const taker = { durable_name: "taker", ack_policy: "explicit" } as const;
    await expect(manager.consumers.add("AUDIT", taker)).rejects.toThrow();
    for (const consumer of ["logbook", "webhook-dispatcher"])
      await expect(bridge.request(`$JS.API.CONSUMER.MSG.NEXT.AUDIT.${consumer}`, "1", { timeout })).rejects.toThrow();
    const forged = randomUUID();
    bridge.publish("gatehouse.stored.audit.logbook", JSON.stringify({ consumer: "logbook", ids: [forged] }));
    // A forged acknowledgement of the next message, before the logbook has it.
    bridge.publish("$JS.ACK.AUDIT.logbook.1.2.2.0.0", "+ACK");
    await bridge.flush();
    const last = fact();
    await eventually(async () => await chat.transport.publish("audit", [last]));
    await eventually(() => expect(chat.reports).toContain(last.id));
    expect(chat.reports).not.toContain(forged);
    expect(bodies(logbook.stored)).toEqual([event, last]);
  });
});

describe.skipIf(program === undefined)("an attacker who controls the broker", () => {
  test("can neither add nor change an event, nor forge a report of storage", async () => {
    const server = await startOpenServer(program ?? "");
    ends.push(async () => await server.remove());
    const logbook = await open("logbook", server.url);
    const chat = await open("chat", server.url);
    const attacker = await connect({ servers: server.url.replace("nats://", "") });
    ends.push(async () => await attacker.close());
    const event = fact();
    await eventually(async () => await chat.transport.publish("audit", [event]));
    await eventually(() => expect(chat.reports).toEqual([event.id]));

    const client = jetstream(attacker);
    const manager = await jetstreamManager(attacker);
    const genuine = await manager.streams.getMessage("AUDIT", { seq: 1 });
    const signature = genuine?.header.get("Gatehouse-Signature") ?? "";
    const send = async (subject: string, id: string, [body, signed]: readonly [string, string]) => {
      const made = headers();
      made.set("Gatehouse-Id", id);
      made.set("Gatehouse-Signature", signed);
      await client.publish(subject, body, { headers: made });
    };
    const strangersKeys = await mkdtemp(join(tmpdir(), "gatehouse-stranger-"));
    ends.push(async () => await rm(strangersKeys, { recursive: true }));
    await initKeys({ folder: strangersKeys, database: "x/x", nats: { listen: "x:1", storeFolder: "/x" } });
    const readStranger = async (name: string) => await readFile(join(strangersKeys, name), "utf8");
    const stranger = new ServiceTrust(
      { text: await readStranger("chat/service-key.json") },
      { text: await readStranger("public/trust.json") },
    );
    const added = randomUUID();
    await send("gatehouse.audit.chat", added, ["{}", ""]);
    await send("gatehouse.audit.chat", added, ["{}", stranger.signDetached("event", `audit\n${added}\n{}`)]);
    // A message signed by chat, with another body, under another id, and under another service's subject.
    await send("gatehouse.audit.chat", event.id, ['{"text":"lie"}', signature]);
    await send("gatehouse.audit.chat", added, [event.body, signature]);
    await send("gatehouse.audit.control-plane", event.id, [event.body, signature]);
    attacker.publish("gatehouse.stored.audit.logbook", JSON.stringify({ consumer: "logbook", ids: [added] }));
    await attacker.flush();

    const last = fact();
    await eventually(async () => await chat.transport.publish("audit", [last]));
    await eventually(() => expect(chat.reports).toContain(last.id));
    expect(bodies(logbook.stored)).toEqual([event, last]);
    expect(chat.reports).not.toContain(added);

    // An event that disappears on the broker is published again, until a signed report confirms that it is stored.
    const swallowed = fact();
    await manager.streams.update("AUDIT", { subjects: ["elsewhere"] });
    await expect(chat.transport.publish("audit", [swallowed])).rejects.toThrow();
    await turn();
    expect(chat.reports).not.toContain(swallowed.id);
  });
});
