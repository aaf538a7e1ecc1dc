import type { Database } from "@gatehouse/database";
import type { AuditReader } from "../store/audit-reader.ts";
import type { CheckpointFile } from "../store/checkpoint-file.ts";

/** What the operations on the logs work with. */
export interface AdminContext {
  readonly database: Database;
  readonly audit: AuditReader;
  readonly checkpoints: CheckpointFile;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
