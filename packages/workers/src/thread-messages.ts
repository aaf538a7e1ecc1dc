/** Given to a thread when it starts. */
export interface ThreadData {
  /** URL of the task module. */
  readonly module: string;
}

/** From a thread: its module is loaded, or how its task has ended. */
export type ThreadReport =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly output: unknown }
  | { readonly kind: "refused"; readonly wire: Uint8Array }
  | { readonly kind: "failed"; readonly message: string; readonly stack: string | undefined };
