// Failed cases of a test run, and the reruns that distinguish broken tests from unreliable ones.
import { relative } from "node:path";
import { readIfPresent } from "./fingerprint.mjs";
import { repositoryRoot } from "./toolchain.mjs";

/** Most files that are run again: if more have failed, the cause is the change. */
export const RERUN_FILES_MAX = 3;

/** Consecutive runs that a failed file must pass alone. */
export const RERUN_TIMES = 3;

const MESSAGE_LENGTH_MAX = 300;

/**
 * The file's path is from the repository's root.
 * @typedef {{ file: string, name: string, message: string }} FailedTest
 */

/**
 * Failed cases in a report of vitest's JSON reporter; a file that did not load counts as one.
 * @param {string} path of the report
 * @returns {FailedTest[]}
 */
export function readFailedTests(path) {
  const text = readIfPresent(path);
  const files = text === "" ? [] : (JSON.parse(text).testResults ?? []);
  return files.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(repositoryRoot, name);
    const cases = assertionResults.filter((result) => result.status === "failed");
    return cases.length === 0 && status === "failed"
      ? [{ file, name: "(the file did not load)", message: shorten(message) }]
      : cases.map(({ fullName, failureMessages }) => ({ file, name: fullName, message: shorten(failureMessages[0]) }));
  });
}

/**
 * Runs each file of the failed tests again, alone, RERUN_TIMES times. True if all runs passed: the tests are unreliable, and the
 * summary names them. False if one failed, or if there were more than RERUN_FILES_MAX files, or none.
 * @param {readonly FailedTest[]} failedTests
 * @param {(file: string) => Promise<number>} runFile resolves with the exit code
 * @returns {Promise<boolean>}
 */
export async function passAlone(failedTests, runFile) {
  const files = [...new Set(failedTests.map(({ file }) => file))];
  if (files.length === 0 || files.length > RERUN_FILES_MAX) {
    return false;
  }
  for (const file of files) {
    for (let run = 0; run < RERUN_TIMES; run += 1) {
      if ((await runFile(file)) !== 0) {
        return false;
      }
    }
  }
  return true;
}

function shorten(message = "") {
  const [firstLine = ""] = message.split("\n");
  return firstLine.slice(0, MESSAGE_LENGTH_MAX);
}
