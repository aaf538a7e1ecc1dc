import type { Breach } from "../breach.ts";
import type { Repository, SourceFile } from "../repository.ts";

/** Events that carry what comes from outside the process, or begin an exchange of it. */
const foreignEvents: ReadonlySet<string> = new Set([
  "checkContinue",
  "checkExpectation",
  "clientError",
  "connect",
  "connection",
  "data",
  "end",
  "message",
  "notification",
  "proxyRes",
  "readable",
  "request",
  "response",
  "secureConnection",
  "session",
  "stream",
  "tlsClientError",
  "upgrade",
]);

/** Product files that listen to programs which they have started, and to nothing else. */
const ownPrograms: Readonly<Record<string, string>> = {
  "deploy/services/src/supervised-process.ts": "lines of the gateway's services",
  "deploy/standalone/src/workers/process-link.ts": "messages between the first process and its workers",
  "packages/nats-server/src/start-nats-server.ts": "lines of the NATS server of tests and of the standalone host",
  "packages/postgres/src/run-command.ts": "lines of Postgres' own programs",
  "packages/workers/src/thread-main.ts": "jobs of the main thread",
  "packages/workers/src/worker-thread.ts": "results of its threads",
};

/** Classes that undici calls with replies: what they throw ends their exchange, by undici or by `guarded`. */
const replyHandlers: Readonly<Record<string, string>> = {
  "packages/http/src/forward.ts": "passes bytes on without reading them",
  "packages/upstream-http/src/http-exchange.ts": "hands replies to listeners, each call guarded",
};

/**
 * A listener that throws ends its process: each one that hears foreign bytes is made by `guarded` of packages/async, which hands its
 * failure to the exchange. Replies of undici come by the two handlers that do so.
 */
export function* findUnguardedListeners({ sources }: Repository): Iterable<Breach> {
  for (const source of sources.filter(runsInGateway)) {
    const { path } = source;
    for (const { event, line, isGuarded } of source.listeners) {
      if (isGuarded || !foreignEvents.has(event) || path in ownPrograms) continue;
      yield {
        path,
        line,
        problem: `listens to "${event}" without a guard`,
        fix: "Make the listener with guarded of packages/async, and end the exchange in its onFailure.",
      };
    }
    for (const line of source.asyncGuardLines) {
      yield {
        path,
        line,
        problem: "guards an async function, whose failure is a rejection that passes the guard",
        fix: "Guard a function that calls it and hands its rejection to the exchange.",
      };
    }
    for (const line of source.replyHandlerLines) {
      if (path in replyHandlers) continue;
      yield {
        path,
        line,
        problem: "takes replies from undici by itself",
        fix: "Use HttpExchange of packages/upstream-http, or forward of packages/http.",
      };
    }
  }
}

/** The console runs in a browser. */
function runsInGateway({ path, role }: SourceFile): boolean {
  const isTesting = /\/src\/(?:.*\/)?testing(?:\/|\.ts$)/.test(path);
  return /^(?:services|packages|deploy)\//.test(path) && role === "product" && !isTesting && !isConsole(path);
}

function isConsole(path: string): boolean {
  return path.startsWith("services/console/src/");
}
