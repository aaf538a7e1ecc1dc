import { isGatewayError } from "@gatehouse/errors";
import { taskModule, WorkerPool } from "@gatehouse/workers";
import type { CheckText } from "./check-value.ts";
import type { SchemaTaskInput, SchemaTaskOutput } from "./schema-task.ts";

/** The compilation of a large schema included. */
const deadlineMsDefault = 5_000;
const memoryMibMax = 512;

/** Checks texts as JSON against schemas, on threads where that may take long. */
export interface TextChecker {
  readonly check: CheckText;
  readonly close: () => void;
}

/** Checks JSON text against schemas of endpoints on another thread. What it does not end in time stays unfinished. */
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

/** Codes of work that ran out of its time or its memory. */
const outOfBounds: ReadonlySet<string> = new Set(["deadline_exceeded", "internal"]);
