/** Conversion of a word on the command line into an argument of an operation. */
export type ValueKind =
  | "text"
  | "integer"
  | "number"
  | "flag"
  /** Repeatable. */
  | "texts"
  /** JSON text, or `@file` with JSON or YAML in it. */
  | "json"
  /** Where a secret is to be read: `env:NAME`, `file:PATH` or `-`. */
  | "secret"
  /** A project's uuid or name. */
  | "project"
  /** Projects by uuid or name, repeatable. */
  | "projects"
  /** An endpoint's uuid, or `project/slug`. */
  | "endpoint"
  /** A project, or an endpoint in the form above: sets `project` or `endpoint`. */
  | "owner"
  /** `provider/model`, repeatable. */
  | "targets"
  /** A number for each of the targets that are named before it. */
  | "retries"
  /** Names of options whose settings are taken away; repeatable. */
  | "unset";

/** A word or an option of a command, and the argument of the operation that it fills. */
export interface CommandValue {
  /** Name on the command line, in kebab-case. */
  readonly name: string;
  readonly kind: ValueKind;
  readonly argument: string;
  readonly description: string;
  readonly required?: boolean;
  /** The word that stands for null. */
  readonly nullWord?: string;
  /** Whether null takes the setting away. */
  readonly isNullable?: boolean;
}

/** Form of the answer for people; as an object where absent. */
export interface TableView {
  /** The member of the answer that is the list. */
  readonly list: string;
  /** Absent: the members of the first row. */
  readonly columns?: readonly string[];
}

/** A command that is one operation of the Control Plane. */
export interface OperationCommand {
  /** Two words: the kind of resource and the verb. */
  readonly path: readonly [string, string];
  readonly description: string;
  readonly operation: string;
  /** In their order on the command line. All are required. */
  readonly words: readonly CommandValue[];
  readonly options: readonly CommandValue[];
  /** Sent with every call. */
  readonly fixed: Readonly<Record<string, unknown>>;
  readonly table?: TableView;
  /** The consequence that a person is asked to accept first; `--yes` accepts it. */
  readonly confirms?: string;
}
