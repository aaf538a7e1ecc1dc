import type { Breach } from "../breach.ts";
import type { Repository, SourceFile } from "../repository.ts";

/** Events with input from outside the process, or that begin an exchange. */
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

/** Product files that listen only to programs they have started. */
const ownPrograms: Readonly<Record<string, string>> = {
  "deploy/services/src/supervised-process.ts": "lines of the gateway's services",
  "deploy/standalone/src/workers/process-link.ts": "messages between the first process and its workers",
  "packages/nats-server/src/start-nats-server.ts": "lines of the NATS server of tests and of the standalone host",
  "packages/postgres/src/run-command.ts": "lines of Postgres' own programs",
  "packages/workers/src/thread-main.ts": "jobs of the main thread",
  "packages/workers/src/worker-thread.ts": "results of its threads",
};

/** Classes that undici calls with replies; undici or `guarded` turns their exceptions into the end of the exchange. */
const replyHandlers: Readonly<Record<string, string>> = {
  "packages/http/src/carrier/named-call.ts": "passes replies on to the handler that it wraps",
  "packages/http/src/forward.ts": "passes bytes on without reading them",
  "packages/upstream-http/src/http-exchange.ts": "hands replies to listeners, each call guarded",
};

/**
 * An exception of a listener ends the process, so each listener for external bytes is made by `guarded` of packages/async, which
 * passes its failure to the exchange. Replies of undici arrive through the handlers above.
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

/** Excludes tests, and the console, which runs in a browser. */
function runsInGateway({ path, role }: SourceFile): boolean {
  const isTesting = /\/src\/(?:.*\/)?testing(?:\/|\.ts$)/.test(path);
  return /^(?:services|packages|deploy)\//.test(path) && role === "product" && !isTesting && !isConsole(path);
}

function isConsole(path: string): boolean {
  return path.startsWith("services/console/src/");
}
