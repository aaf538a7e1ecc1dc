export { PostgresError, type PostgresErrorCode } from "./postgres-error.ts";
export { startPostgres, type LocalPostgres, type StartPostgresOptions } from "./start-postgres.ts";
