import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { lapse } from "@gatehouse/async/testing";
import { Webhook } from "standardwebhooks";
import { close, listen } from "../fixture.ts";

/** Behaviour of a receiver; the first segment of its path. */
export const behaviours = ["ok", "slow", "refuse", "hang", "reset", "half"] as const;
export type Behaviour = (typeof behaviours)[number];

export interface LedgerArrival {
  readonly name: string;
  readonly eventId: string;
  readonly deliveryUuid: string;
  readonly at: number;
  /** Index of the webhook's secret that made each signature; -1: none. */
  readonly signedBy: number;
  readonly standardBy: readonly number[];
}

export interface Receivers {
  readonly url: string;
  readonly arrivals: LedgerArrival[];
  /** Secrets of webhooks by name, oldest first. */
  readonly secrets: Map<string, string[]>;
  stop(): Promise<void>;
}

/** Local receivers at `/<behaviour>/<name>`; each records a request before anything else. */
export async function startReceivers(): Promise<Receivers> {
  const arrivals: LedgerArrival[] = [];
  const secrets = new Map<string, string[]>();
  const server: Server = createServer((req, res) => {
    const [, behaviour = "ok", name = ""] = (req.url ?? "").split("/");
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("error", () => {});
    req.on("end", () => {
      arrivals.push(toArrival(name, req, { body: Buffer.concat(chunks).toString(), secrets: secrets.get(name) ?? [] }));
      answers[behaviour as Behaviour](res);
    });
  });
  server.keepAliveTimeout = 5_000;
  return { url: await listen(server), arrivals, secrets, stop: async () => await close(server) };
}

let hangs = 0;

const answers: Readonly<Record<Behaviour, (res: ServerResponse) => void>> = {
  ok: (res) => void res.end("ok"),
  slow: (res) => void lapse(60, "a receiver that takes its time").then(() => res.end("late")),
  refuse: (res) => void res.writeHead(503).end("no"),
  // Only sometimes: a receiver that never answers gets one delivery at a time, for all of which the ledger would wait.
  hang: (res) => {
    hangs += 1;
    if (hangs % 4 !== 0) res.end("ok");
  },
  reset: (res) => res.socket?.resetAndDestroy(),
  half: (res) => {
    res.writeHead(200, { "content-length": "100" }).write("half");
    // After the written bytes.
    res.socket?.end();
  },
};

interface Read {
  readonly body: string;
  readonly secrets: readonly string[];
}

function toArrival(name: string, { headers }: IncomingMessage, { body, secrets }: Read): LedgerArrival {
  const { target } = JSON.parse(body) as { target: string };
  const signature = headers["x-service-signature"];
  return {
    name,
    eventId: target,
    deliveryUuid: String(headers["x-service-delivery"]),
    at: performance.now(),
    signedBy: secrets.findIndex((secret) => signature === `sha256=${hmac(secret, body)}`),
    standardBy: secrets.flatMap((secret, index) => (verifies(secret, body, headers) ? [index] : [])),
  };
}

function hmac(secret: string, body: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

function verifies(secret: string, body: string, headers: IncomingMessage["headers"]): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
