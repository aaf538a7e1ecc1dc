import { connectOnce, createDatabase, dropDatabase, toConnectionSettings } from "./connection.mjs";
import { toPrismaCode } from "./error-code.mjs";

/** The engine's one-shot commands. */
const COMMANDS = {
  "can-connect-to-database": (url) => connectOnce(toConnectionSettings(url).pg),
  "create-database": createDatabase,
  "drop-database": dropDatabase,
};

/**
 * Runs one command of the engine's `cli` face. A failure is written to stderr in the engine's log format, which the Prisma CLI
 * reads.
 * @param {{ command: string, datasource: { url?: string } }} invocation
 * @returns {Promise<number>} the exit code
 */
export async function runCliCommand({ command, datasource }) {
  try {
    const run = COMMANDS[command];
    if (run === undefined) {
      throw new Error(`Unknown engine command ${command}`);
    }
    await run(datasource.url);
    return 0;
  } catch (error) {
    const fields = { message: error.message, error_code: toPrismaCode(error) };
    process.stderr.write(`\n${JSON.stringify({ level: "ERROR", fields, target: "schema_engine::logger" })}\n`);
    return 1;
  }
}
