import { adminKeyOperations } from "./admin-key-operations.ts";
import { applyConfig } from "./apply-config.ts";
import { consoleSessionOperations } from "./console-session-operations.ts";
import { exportBackup } from "./export-backup.ts";
import { issuerOperations } from "./issuer-operations.ts";
import type { OwnOperation } from "./own-operation.ts";
import { projectOperations } from "./project-operations.ts";
import { systemOperation } from "./system-operation.ts";
import { tokenOperations } from "./token-operations.ts";

/** The Control Plane's own operations, in the order of `tools/list`. */
export const operations: readonly OwnOperation[] = [
  ...projectOperations,
  ...tokenOperations,
  ...issuerOperations,
  ...adminKeyOperations,
  ...consoleSessionOperations,
  { ...systemOperation, needsDatabase: false },
  exportBackup,
  applyConfig,
];
