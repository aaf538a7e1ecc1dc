import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brokerPermissionsOf, createBrokerUser } from "@gatehouse/events";
import { keepRunning, progress, StartError } from "@gatehouse/local-start";
import { findNatsServer, formatBrokerConfig, startNatsServer } from "@gatehouse/nats-server";
import { type ServiceName, serviceNames } from "@gatehouse/trust";
import { Secret } from "@gatehouse/vault";
import type { PortChoice } from "./port-choice.ts";

interface Broker {
  readonly url: Secret;
  /** Each service's credential for the broker. */
  readonly seeds: ReadonlyMap<ServiceName, Secret>;
  stop(): Promise<void>;
}

const usualPort = 4_222;

/**
 * Starts a broker for the services alone, with keys for this run, and restarts it when it ends.
 * @param tlsFolder files of the broker's certificate; with them it only accepts TLS connections with a certificate
 */
export async function startBroker(
  home: string,
  ports: PortChoice,
  tlsFolder: string | undefined,
  onLine: (line: string) => void,
): Promise<Broker> {
  const { program, problem } = await findNatsServer();
  if (program === undefined) {
    throw new StartError(
      `No nats-server was found, and none could be fetched (${problem}). Install nats-server (https://nats.io/download), or set NATS_URL to one.`,
    );
  }
  const folder = join(home, "nats");
  await mkdir(folder, { recursive: true });
  const port = await ports.choose(usualPort);
  const users = serviceNames.map((name) => ({ name, ...createBrokerUser() }));
  const configFile = join(folder, "nats.conf");
  const config = {
    listen: `127.0.0.1:${port}`,
    storeFolder: join(folder, "data"),
    tlsFolder,
    users: users.map(({ name, publicKey }) => ({ name, publicKey, permissions: brokerPermissionsOf(name) })),
  };
  await writeFile(configFile, formatBrokerConfig(config), { mode: 0o600 });
  progress("Starting NATS.");
  const start = async () => await startNatsServer({ program, configFile, pidFile: join(folder, "pid"), port, onLine });
  return {
    url: new Secret(`${tlsFolder === undefined ? "nats" : "tls"}://127.0.0.1:${port}`),
    seeds: new Map(users.map(({ name, seed }) => [name, seed])),
    stop: keepRunning("NATS", await start(), start),
  };
}
