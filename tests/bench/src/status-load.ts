import { Agent, request as send } from "node:http";

/** Kinds of replies that are counted. */
export type ReplyKind = "200" | "503 with Retry-After" | "other";

/** Calls at a fixed rate, counted by the second of sending and by kind of reply. */
export interface StatusTally {
  readonly count: (second: number, kind: ReplyKind) => number;
  readonly total: (kind: ReplyKind) => number;
  /** The first reply of the kind `other`, as text. */
  readonly example: () => string;
}

export interface StatusLoad {
  readonly tally: StatusTally;
  /** Stops sending, and resolves when every call has its reply or was given up. */
  stop(): Promise<void>;
}

export interface StatusLoadPlan {
  readonly port: number;
  readonly path: string;
  readonly authorization: string;
  readonly body: string;
  /** Calls a second. */
  readonly rate: number;
  /** Longest wait for a reply. */
  readonly timeoutMs: number;
}

/** Starts a load that continues while replies fail, unlike the other load generators. */
export function startStatusLoad(plan: StatusLoadPlan): StatusLoad {
  const agent = new Agent({ keepAlive: true });
  const startedAt = performance.now();
  const recorder = recordStatuses();
  const pending = new Set<Promise<void>>();
  let sent = 0;
  const timer = setInterval(() => {
    for (const due = ((performance.now() - startedAt) * plan.rate) / 1000; sent < due; sent++) {
      const second = Math.floor(sent / plan.rate);
      const call = callOnce(plan, agent).then(({ kind, excerpt }) => recorder.record(second, kind, excerpt));
      pending.add(call);
      void call.finally(() => pending.delete(call));
    }
  }, 5);
  return {
    tally: recorder.tally,
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
      agent.destroy();
    },
  };
}

/** Counts replies; separate, so that it can be tested alone. */
export function recordStatuses(): {
  readonly tally: StatusTally;
  readonly record: (second: number, kind: ReplyKind, excerpt: string) => void;
} {
  const counts = new Map<string, number>();
  let example = "";
  const add = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  return {
    record(second, kind, excerpt) {
      add(`${second} ${kind}`);
      add(kind);
      if (kind === "other" && example === "") example = excerpt;
    },
    tally: {
      count: (second, kind) => counts.get(`${second} ${kind}`) ?? 0,
      total: (kind) => counts.get(kind) ?? 0,
      example: () => example,
    },
  };
}

/** A 503 counts as one with Retry-After only if the header is valid. */
export function kindOf(status: number | undefined, retryAfter: string | undefined): ReplyKind {
  if (status === 200) return "200";
  return status === 503 && /^[1-9]\d*$/.test(retryAfter ?? "") ? "503 with Retry-After" : "other";
}

function callOnce(plan: StatusLoadPlan, agent: Agent): Promise<{ kind: ReplyKind; excerpt: string }> {
  const headers = { "content-type": "application/json", authorization: plan.authorization };
  return new Promise((resolve) => {
    const fail = (excerpt: string) => resolve({ kind: "other", excerpt });
    const { port, path, timeoutMs: timeout } = plan;
    const req = send({ host: "127.0.0.1", port, path, method: "POST", headers, agent, timeout }, (res) => {
      let body = "";
      res.setEncoding("utf8");
      res.on("data", (text: string) => (body += text));
      res.on("error", (err) => fail(err.message));
      res.on("end", () =>
        resolve({
          kind: kindOf(res.statusCode, res.headers["retry-after"]),
          excerpt: `status ${res.statusCode}; ${body.slice(0, 200)}`,
        }),
      );
    });
    req.on("timeout", () => req.destroy(new Error(`no reply within ${timeout} ms`)));
    req.on("error", (err) => fail(err.message));
    req.end(plan.body);
  });
}
