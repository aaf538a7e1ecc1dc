/**
 * The command of the Prisma CLI, with its database.
 * @typedef {{ url?: string, shadowDatabaseUrl?: string }} Datasource
 * @typedef {{ kind: "version" } | { kind: "cli", command: string, datasource: Datasource }
 *   | { kind: "serve", datamodels: string[], datasource: Datasource }} Invocation
 */

/**
 * Parses the command line of the Prisma CLI's engine. Unused options (`--enabled-preview-features`, `--extension-types`) are
 * skipped with their value.
 * @param {readonly string[]} argv the arguments after the program
 * @returns {Invocation}
 */
export function parseArguments(argv) {
  const datamodels = [];
  let datasource = {};
  let command;
  for (let index = 0; index < argv.length; index += 2) {
    const [name, value = ""] = argv.slice(index, index + 2);
    if (name === "--version") {
      return { kind: "version" };
    }
    if (name === "--datamodels") {
      datamodels.push(value);
    } else if (name === "--datasource") {
      datasource = JSON.parse(value);
    } else if (name === "cli") {
      command = value;
    }
  }
  return command === undefined ? { kind: "serve", datamodels, datasource } : { kind: "cli", command, datasource };
}
