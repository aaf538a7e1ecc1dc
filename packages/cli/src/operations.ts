import listed from "./operations.json" with { type: "json" };

/** The part of JSON Schema that the command line reads. */
export interface ArgumentSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly items?: ArgumentSchema;
  readonly properties?: Readonly<Record<string, ArgumentSchema>>;
  readonly writeOnly?: boolean;
}

/** Entry of `tools/list` in the form of `operations.json`, from which one command is derived. */
export interface Operation {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, ArgumentSchema>>;
    readonly required?: readonly string[];
  };
}

/** Copy of `tools/list` of this version, so that `--help` needs no gateway. A test compares the two. */
export const operations: readonly Operation[] = listed;
