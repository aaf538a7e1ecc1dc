/** Conversion of a word on the command line to an argument of an operation. */
export type ValueKind =
  | "text"
  | "integer"
  | "number"
  | "flag"
  /** Repeatable text. */
  | "texts"
  /** JSON text, or `@file` with JSON or YAML in it. */
  | "json"
  /** Source of a secret: `env:NAME`, `file:PATH` or `-`. */
  | "secret"
  /** A project's uuid or name. */
  | "project"
  /** Projects by uuid or name, repeatable. */
  | "projects"
  /** An endpoint's uuid, or `project/slug`. */
  | "endpoint"
  /** A project, or an endpoint as `project/slug`: sets `project` or `endpoint`. */
  | "owner"
  /** `provider/model`, repeatable. */
  | "targets"
  /** A number for each target before it. */
  | "retries"
  /** Names of options to reset; repeatable. */
  | "unset";

/** A word or an option of a command, and the operation's argument for it. */
export interface CommandValue {
  /** Name on the command line, in kebab-case. */
  readonly name: string;
  readonly kind: ValueKind;
  readonly argument: string;
  readonly description: string;
  readonly required?: boolean;
  /** All values that the operation takes, for a text or each of several; absent where any text may be right. */
  readonly choices?: readonly string[];
  /** Word that means null. */
  readonly nullWord?: string;
  /** Whether null resets the setting. */
  readonly isNullable?: boolean;
}

/** Display of the result as a table; as an object where absent. */
export interface TableView {
  /** Member of the result with the list. */
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
  /** In order; all are required. */
  readonly words: readonly CommandValue[];
  readonly options: readonly CommandValue[];
  /** Arguments sent with every call. */
  readonly fixed: Readonly<Record<string, unknown>>;
  readonly table?: TableView;
  readonly confirms?: Confirmation;
}

/** Question before a command that cannot be undone; `--yes` answers it. */
export interface Confirmation {
  /** The consequence, without a full stop. */
  readonly consequence: string;
  /** Whether the command needs `--yes` without a terminal. Otherwise it runs there, for scripts. */
  readonly needsYes: boolean;
  /** Flag with which alone the command asks; always where absent. */
  readonly flag?: string;
}
