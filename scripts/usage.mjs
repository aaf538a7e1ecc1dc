// Usage of the commands that take no arguments.

/**
 * Ends a command that got arguments: with its usage and exit code 0 for `--help`, else with what is wrong and 2.
 * @param {string} usage
 * @returns {boolean} whether the command must do nothing else
 */
export function endForArguments(usage) {
  const [first] = process.argv.slice(2);
  if (first === undefined) {
    return false;
  }
  if (first === "--help" || first === "-h") {
    process.stdout.write(`${usage}\n`);
  } else {
    process.stderr.write(`Unknown argument: ${first}\n\n${usage}\n`);
    process.exitCode = 2;
  }
  return true;
}
