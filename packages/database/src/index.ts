export { answered, answeredForCache, type AnsweredOptions, findDatabaseProblems, readRows } from "./answered.ts";
export { type ArrayMember, toArrayText } from "./array-text.ts";
export { createBatchRead, placeRows } from "./batch-read.ts";
export { ChangeFeed, type ChangeListener, type ReplicaMessages, type StatementRunner } from "./change-feed.ts";
export { type Database, type DatabaseOptions, type OpenDatabase, openDatabase } from "./database.ts";
export { type DatabaseReach, findDatabaseUrlProblem, reachOfDatabase } from "./database-url.ts";
export {
  isDatabaseAway,
  isDatabaseUnavailable,
  isRefusedData,
  toDatabaseError,
  refuseTaken,
  violatedIndex,
  type PrismaTransaction,
  reading,
} from "./errors.ts";
export { bothAnswers, inTransaction, type TransactionOptions } from "./in-transaction.ts";
export { findKeyringProblem, keyringProbeColumn, keyringProbeMigration, sealKeyringProbe } from "./keyring-probe.ts";
export { lockRow, type RowKey, takeTurns } from "./lock-row.ts";
export type { SharedMigration } from "./migrations.ts";
export {
  invalidCursor,
  newestPageBounds,
  nilUuid,
  pageBounds,
  pageLimitDefault,
  type PageRequest,
  type PageResult,
  readPage,
  toPage,
} from "./paging.ts";
export { createResealer, type Resealer, type ResealReport, type SealedColumn, type SecretBackup } from "./resealer.ts";
export { createSecretExport, type ExportSecrets, type SealedSecrets } from "./secret-export.ts";
export { SharedSessionsError } from "./sessions.ts";
export { untilAborted } from "./until-aborted.ts";
export { unlessSilent } from "./unless-silent.ts";
export { databaseTlsProblem } from "./tls-problem.ts";
