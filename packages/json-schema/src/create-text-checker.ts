import { isGatewayError } from "@gatehouse/errors";
import { taskModule, WorkerPool } from "@gatehouse/workers";
import type { CheckText } from "./check-value.ts";
import type { SchemaTaskInput, SchemaTaskOutput } from "./schema-task.ts";

/** Includes the compilation of a large schema. */
const deadlineMsDefault = 5_000;
const memoryMibMax = 512;

/** Checks texts as JSON against schemas, on worker threads. */
export interface TextChecker {
  readonly check: CheckText;
  readonly close: () => void;
}

/** Creates the checker. A check that exceeds the deadline is `unfinished`. */
export function createTextChecker(deadlineMs = deadlineMsDefault): TextChecker {
  const pool = new WorkerPool<SchemaTaskInput, SchemaTaskOutput>({
    name: "checking schemas",
    module: taskModule(import.meta.url, "./schema-task"),
    threadsMax: 1,
    memoryMibMax,
  });
  return {
    async check({ source, field }, text, scope) {
      try {
        return await pool.run({ schema: JSON.stringify(source), field, text }, { ...scope, deadlineMs });
      } catch (err) {
        if (isGatewayError(err) && outOfBounds.has(err.code)) return { kind: "unfinished" };
        throw err;
      }
    },
    close: () => pool.close(),
  };
}

/** Error codes of tasks that exceeded their time or memory. */
const outOfBounds: ReadonlySet<string> = new Set(["deadline_exceeded", "internal"]);
