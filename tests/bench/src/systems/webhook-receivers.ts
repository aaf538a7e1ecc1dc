import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Local receivers of webhooks: those below `/ok/` answer at once, those below `/hole/` never. */
export interface WebhookReceivers {
  readonly origin: string;
  /** Milliseconds from an event's time to its arrival, for arrivals below `/ok/` since the last reset. */
  readonly latenciesMs: number[];
  /** Times of the first and the last of them, monotonic milliseconds. */
  firstAt(): number;
  lastAt(): number;
  reset(): void;
  stop(): Promise<void>;
}

export async function startWebhookReceivers(): Promise<WebhookReceivers> {
  let latenciesMs: number[] = [];
  let first = 0;
  let last = 0;
  const held = new Set<ServerResponse>();
  const server = createServer((req, res) => {
    if (req.url?.startsWith("/hole/") === true) {
      held.add(res);
      res.once("close", () => held.delete(res));
      return;
    }
    const arrivedAt = Date.now();
    let body = "";
    req.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    req.on("end", () => {
      last = performance.now();
      if (latenciesMs.length === 0) first = last;
      latenciesMs.push(arrivedAt - Date.parse(/"occurred_at":"([^"]+)"/.exec(body)?.[1] ?? ""));
      res.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get latenciesMs() {
      return latenciesMs;
    },
    firstAt: () => first,
    lastAt: () => last,
    reset() {
      latenciesMs = [];
    },
    async stop() {
      for (const res of held) res.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
