/** Work that waits, of one kind. */
export interface Backlog {
  /** The kind, for people, such as `audit events to send`. */
  readonly name: string;
  readonly count: number;
  /** How long the one that has waited longest waits, milliseconds. */
  readonly oldestMs: number;
}
