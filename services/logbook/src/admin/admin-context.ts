import type { Database } from "@gatehouse/database";
import type { AuditReader } from "../store/audit-reader.ts";
import type { CheckpointFile } from "../store/checkpoint-file.ts";

/** Readers and clock of the operations on the logs. */
export interface AdminContext {
  readonly database: Database;
  readonly audit: AuditReader;
  readonly checkpoints: CheckpointFile;
  /** Milliseconds since 1970. */
  readonly wallNow: () => number;
}
