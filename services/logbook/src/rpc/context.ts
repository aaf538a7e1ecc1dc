import type { Database } from "@gatehouse/database";
import type { AuditReader } from "../store/audit-reader.ts";
import type { CheckpointFile } from "../store/checkpoint-file.ts";

/** What questions are answered from. */
export interface QueryContext {
  readonly database: Database;
  readonly audit: AuditReader;
  readonly checkpoints: CheckpointFile;
}
