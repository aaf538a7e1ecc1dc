// Counts and formats the results of a test run.
import { relative } from "node:path";
import { readIfPresent } from "./fingerprint.mjs";
import { repositoryRoot } from "./toolchain.mjs";

const SLOWEST_FILES_MAX = 12;

/**
 * @typedef {{ passed: number, failed: number, skipped: number, unreliable?: number }} Counts
 * @typedef {{ file: string, seconds: number }} TimedFile
 * @typedef {Counts & { name: string, seconds: number, coresBusy: number, failedTests: readonly import("./failed-tests.mjs").FailedTest[],
 *   files?: readonly TimedFile[] }} StepResult
 */

/** Counts a check without test cases as one. @param {number} exitCode @returns {Counts} */
export function countStep(exitCode) {
  return exitCode === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

/**
 * Counts the test cases in a report of vitest's JSON reporter. A run that fails without a failed case (no test found, a crash
 * before the report) counts as one failure, so that it never counts as passed.
 * @param {string} path of the report
 * @param {{ exitCode: number, failed: number }} run `failed` as counted by `readFailedTests`, files that did not load included
 * @returns {Counts}
 */
export function countVitest(path, { exitCode, failed }) {
  const text = readIfPresent(path);
  const report = text === "" ? {} : JSON.parse(text);
  return {
    passed: report.numPassedTests ?? 0,
    failed: exitCode === 0 && text !== "" ? failed : Math.max(failed, 1),
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  };
}

/**
 * Seconds of each file in a report of vitest's JSON reporter, without the loading of its modules.
 * @param {string} path of the report
 * @returns {TimedFile[]}
 */
export function timeFiles(path) {
  const text = readIfPresent(path);
  const files = text === "" ? [] : (JSON.parse(text).testResults ?? []);
  return files.map(({ name, startTime, endTime }) => ({
    file: relative(repositoryRoot, name),
    seconds: (endTime - startTime) / 1000,
  }));
}

/** Counts of a run whose failed tests passed alone each time: they are unreliable, not failed. @param {Counts} counts @returns {Counts} */
export function markUnreliable({ failed, ...counts }) {
  return { ...counts, failed: 0, unreliable: failed };
}

/**
 * The table of steps, the slowest files, the failed and unreliable tests by name, and the last line, for machines: `N passed, N
 * failed`, then `, N skipped` and `, N unreliable` if any were.
 * @param {readonly StepResult[]} results
 * @returns {string}
 */
export function formatSummary(results) {
  const width = Math.max(...results.map(({ name }) => name.length), "step".length);
  const rows = results.map((result) => formatRow(result, width));
  const total = (key) => results.reduce((sum, result) => sum + (result[key] ?? 0), 0);
  const others = ["skipped", "unreliable"].filter((key) => total(key) > 0).map((key) => `, ${total(key)} ${key}`);
  const header = `${"step".padEnd(width)}  result  passed  failed  skipped  seconds  cores busy`;
  const last = `${total("passed")} passed, ${total("failed")} failed${others.join("")}`;
  return [header, ...rows, ...listSlowest(results), ...results.flatMap(listFailedTests), "", last].join("\n");
}

function listSlowest(results) {
  const slowest = results.flatMap(({ files = [] }) => files).sort((a, b) => b.seconds - a.seconds);
  const lines = slowest
    .slice(0, SLOWEST_FILES_MAX)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${file}`);
  return lines.length === 0 ? [] : ["", "seconds  slowest files", ...lines];
}

function listFailedTests({ name, failed, failedTests }) {
  const verdict = failed > 0 ? "FAILED" : "UNRELIABLE (passed alone): a fault of the test or the product, to be fixed";
  const lines = failedTests.map((test) => `  ${test.file}\n    ${test.name}\n    ${test.message}`);
  return lines.length === 0 ? [] : ["", `${name}: ${verdict}`, ...lines];
}

function formatRow({ name, passed, failed, skipped, seconds, coresBusy }, width) {
  const result = failed === 0 ? "passed" : "FAILED";
  const numbers = [passed, failed, skipped].map((count, index) => String(count).padStart([6, 6, 7][index]));
  return `${name.padEnd(width)}  ${result}  ${numbers.join("  ")}  ${seconds.toFixed(1).padStart(7)}  ${coresBusy.toFixed(1).padStart(10)}`;
}
