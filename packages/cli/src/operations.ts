import listed from "./operations.json" with { type: "json" };

/** JSON Schema, as far as the command line reads it. */
export interface ArgumentSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly items?: ArgumentSchema;
  /** A secret. */
  readonly writeOnly?: boolean;
}

/** One tool of the Control Plane. */
export interface Operation {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, ArgumentSchema>>;
    readonly required?: readonly string[];
  };
}

/** The copy of `tools/list` that this version was built with, so that `--help` needs no gateway. A test holds the two together. */
export const operations: readonly Operation[] = listed;
