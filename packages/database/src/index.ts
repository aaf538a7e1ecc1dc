export { answered, answeredForCache, type AnsweredOptions, answerTimeoutMs, isAnswering } from "./answered.ts";
export { createBatchRead } from "./batch-read.ts";
export { ChangeFeed, type ChangeListener, type StatementRunner } from "./change-feed.ts";
export { type Database, type DatabaseOptions, openDatabase } from "./database.ts";
export { isDatabaseUnavailable, toDatabaseError, violatedIndex } from "./errors.ts";
export { inTransaction } from "./in-transaction.ts";
export { pageBounds, pageLimitDefault, pageLimitMax, type PageRequest, type PageResult, toPage } from "./paging.ts";
export {
  createResealer,
  type Resealer,
  type ResealerOptions,
  type ResealReport,
  type SealedColumn,
} from "./resealer.ts";
export { type Announce, createTransactor, type PrismaTransaction, reading, type Transactor } from "./transactor.ts";
