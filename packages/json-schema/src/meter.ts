import { isJsonObject } from "@gatehouse/json";
import type { ErrorObject } from "ajv";

/** Cost of checking one value against one subschema, in units of work (10 to 200 ns). */
export interface Weights {
  /** For any value: the subschema itself, and its checks on every object. */
  readonly step: number;
  /** For each character of a text. */
  readonly char: number;
  /** For each member of an object, and each character of its name. */
  readonly key: number;
  readonly keyChar: number;
}

/** Ends a check that has used up its work, or has found enough errors. */
export class CheckStopped extends Error {
  /** Errors so far, where they certainly belong to the value. */
  readonly errors: readonly ErrorObject[] | undefined;

  constructor(errors?: readonly ErrorObject[]) {
    super("The check was stopped.");
    this.errors = errors;
  }
}

/** Counts the work of the current check. Checks are synchronous, so one meter serves all checks of a thread. */
export class Meter {
  left = 0;

  /** @throws CheckStopped when the work is used up. */
  spend(value: unknown, weights: Weights): void {
    this.left -= weights.step;
    if (typeof value === "string") this.left -= value.length * weights.char;
    else if (weights.key > 0 && isJsonObject(value)) {
      for (const name of Object.keys(value)) this.left -= weights.key + name.length * weights.keyChar;
    }
    if (this.left < 0) throw new CheckStopped();
  }

  /** @throws CheckStopped when the work is used up. */
  take(units: number): void {
    this.left -= units;
    if (this.left < 0) throw new CheckStopped();
  }

  /** @throws CheckStopped always. */
  stop(errors: readonly ErrorObject[] | null): never {
    throw new CheckStopped(errors ?? undefined);
  }
}
