import type { JsonObject } from "@gatehouse/json-rpc";

/** The kind of an item of a document. */
export type ItemKind =
  | "provider"
  | "credential"
  | "project"
  | "guardrails"
  | "token"
  | "issuer"
  | "oauth_connection"
  | "endpoint"
  | "upstream"
  | "webhook";

/** One call of an operation that brings the configuration nearer to a document. */
export interface PlannedChange {
  readonly action: "create" | "update";
  readonly kind: ItemKind;
  readonly name: string;
  /** The name of the project that the item lies in. */
  readonly project?: string;
  /** Settings that change, on an update. */
  readonly fields?: readonly string[];
  readonly operation: string;
  readonly arguments: JsonObject;
  /** Position in the document of a project that is made. */
  readonly position?: number;
  /** The project or endpoint of the call, where an earlier change may have to create it first. */
  readonly subject?: Subject;
  /** The argument that takes the id of what an earlier change makes. */
  readonly made?: { readonly argument: string; readonly by: PlannedChange };
}

/** The argument `project` or `endpoint` of a change, by name. */
export interface Subject {
  readonly argument: "project" | "endpoint";
  /** Position of the project in the document. */
  readonly project: number;
  /** Slug of the endpoint. */
  readonly slug?: string;
}

/** The project in which items are planned. */
export interface OwningProject {
  readonly name: string;
  readonly subject: Subject;
}

/** A change that makes an item. */
export function creation(change: Omit<PlannedChange, "action">): PlannedChange {
  return { action: "create", ...change };
}

/** A change of an existing item. */
export function update(change: Omit<PlannedChange, "action">): PlannedChange {
  return { action: "update", ...change };
}

/** Uuids or ids that one refusal lists. */
export const listedMax = 20;
