import type { JsonObject } from "@gatehouse/json-rpc";
import { type FoundReference, readSecrets } from "./secret-fields.ts";

/** Kind of a document's item, as plans and refusals name it. */
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

/** One call of an operation, as a step towards a document. */
export interface PlannedChange {
  readonly action: "create" | "update";
  readonly kind: ItemKind;
  readonly name: string;
  /** Name of the item's project. */
  readonly project?: string;
  /** Settings that change, on an update. */
  readonly fields?: readonly string[];
  readonly operation: string;
  readonly arguments: JsonObject;
  /** Secrets among the arguments that are not filled in. */
  readonly references: readonly FoundReference[];
  /** Position in the document of a project to create. */
  readonly position?: number;
  /** The call's project or endpoint, which an earlier change may have to create. */
  readonly subject?: Subject;
  /** The argument for an id that an earlier change creates. */
  readonly made?: { readonly argument: string; readonly by: PlannedChange };
}

/** The argument `project` or `endpoint` of a change, by name. */
export interface Subject {
  readonly argument: "project" | "endpoint";
  /** Position of the project in the document. */
  readonly project: number;
  readonly slug?: string;
}

/** The project in which items are planned. */
export interface OwningProject {
  readonly name: string;
  readonly type: string;
  readonly subject: Subject;
}

/** A change as the document has it, its escaped secrets included. */
type WantedChange = Omit<PlannedChange, "action" | "references">;

/** Change whose operation makes an item that the present configuration lacks. */
export function creation(change: WantedChange): PlannedChange {
  return { action: "create", ...change, ...secretsRead(change) };
}

/** Change of an existing item, or of one that an earlier change of the plan makes (`made`, `subject`). */
export function update(change: WantedChange): PlannedChange {
  return { action: "update", ...change, ...secretsRead(change) };
}

function secretsRead({ arguments: given }: WantedChange) {
  const { settings, references } = readSecrets(given);
  return { arguments: settings, references };
}

/** Uuids or ids listed in one refusal. */
export const listedMax = 20;
