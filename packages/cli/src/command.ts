/** How a word on the command line becomes an argument of an operation. */
export type ValueKind =
  | "text"
  | "integer"
  /** A number, or `unlimited`. */
  | "limit"
  | "number"
  /** A time, or `never`. */
  | "moment"
  | "flag"
  /** Repeatable. */
  | "texts"
  /** Repeatable; `all` stands for no list. */
  | "names"
  /** JSON text, or `@file` with JSON or YAML in it. */
  | "json"
  /** Where a secret is to be read: `env:NAME`, `file:PATH` or `-`. */
  | "secret"
  /** A project's uuid or name. */
  | "project"
  /** The same, repeatable. */
  | "projects"
  /** An endpoint's uuid, or `project/slug`. */
  | "endpoint"
  /** A project, or an endpoint in the form above: sets `project` or `endpoint`. */
  | "owner"
  /** `provider/model`, repeatable. */
  | "targets"
  /** A number for each of the targets that are named before it. */
  | "retries";

export interface CommandValue {
  /** As on the command line, in kebab-case. */
  readonly name: string;
  readonly kind: ValueKind;
  /** Of the operation; the name in snake_case where absent. */
  readonly argument?: string;
  readonly description: string;
  readonly required?: boolean;
}

/** How the answer is shown to people; as an object where absent. */
export interface TableView {
  /** The member of the answer that is the list. */
  readonly list: string;
  readonly columns: readonly string[];
}

/** A command that is one operation of the Control Plane. */
export interface OperationCommand {
  /** Two words: what it is about, and what is done. */
  readonly path: readonly [string, string];
  readonly description: string;
  readonly operation: string;
  /** In their order on the command line. All are required. */
  readonly words?: readonly CommandValue[];
  readonly options?: readonly CommandValue[];
  /** Sent with every call. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  readonly table?: TableView;
  /** The consequence that a person is asked to accept first; `--yes` accepts it. */
  readonly confirms?: string;
}
