import { GatewayError, invalidArgument } from "@gatehouse/errors";
import { isUuid } from "@gatehouse/json";
import type { TSchema } from "typebox";
import { id, reference } from "./arguments.ts";
import { isRowId } from "./paging.ts";

/** Most code units of a caller's value in a message. */
const quotedLengthMax = 200;

/** Text of a caller's value for a message: a string as it is, others as JSON; cut after 200 UTF-16 units, then with `…`. */
export function quote(value: unknown): string {
  const written = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  return written.length <= quotedLengthMax ? written : `${written.slice(0, quotedLengthMax).toWellFormed()}…`;
}

/** Argument by which operations identify one resource of a kind. */
export interface Key<Value> {
  readonly argument: string;
  readonly schema: TSchema;
  /** @throws GatewayError `not_found` for a value that no resource can have. */
  readonly read: (given: never) => Value;
}

/** `<kind> not found: <value>`, the value shortened. */
export function resourceNotFound(kind: string, value: string | number): GatewayError {
  return new GatewayError("not_found", `${kind} not found: ${quote(value)}`);
}

/** Refusal of one more resource in a project that has `max` of them. @param kinds its name in the plural: "webhooks" */
export function projectIsFull(kinds: string, max: number): GatewayError {
  return invalidArgument(`A project can have at most ${max} ${kinds}. Delete one first.`);
}

/** Key of a resource: the integer id of its row. */
export function rowKey(kind: string, argument: string, description = `The ${lowerFirst(kind)}'s id.`): Key<number> {
  return {
    argument,
    schema: id(description),
    read(given: number) {
      if (isRowId(given)) return given;
      throw resourceNotFound(kind, given);
    },
  };
}

/** Key of a resource: its UUID, in lower case as in rows. */
export function uuidKey(kind: string, argument: string): Key<string> {
  return {
    argument,
    schema: reference(`The ${lowerFirst(kind)}'s uuid.`),
    read(given: string) {
      if (isUuid(given)) return given.toLowerCase();
      throw resourceNotFound(kind, given);
    },
  };
}

/** Keeps the capitals of `OAuth connection`. */
function lowerFirst(kind: string): string {
  return /^[A-Z][a-z]/.test(kind) ? kind.charAt(0).toLowerCase() + kind.slice(1) : kind;
}
