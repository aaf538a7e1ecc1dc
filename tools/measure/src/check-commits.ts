import { readFileSync } from "node:fs";
import { findMessageProblem } from "./commits.ts";
import { git } from "./tree.ts";

/** Latest commits checked where no range is given. */
const latestCount = 50;
/** End of a message in an editor, before the diff of `git commit --verbose`. */
const scissors = /^# -+ >8 -+$/m;

interface Message {
  readonly name: string;
  readonly text: string;
}

/** Messages of a range of commits, or of the latest ones. */
function readCommits(range: string | undefined): readonly Message[] {
  const asked = range === undefined ? [`--max-count=${latestCount}`] : [range];
  return git(["log", "--no-merges", "--format=%h%x01%B%x00", ...asked])
    .split("\0")
    .map((entry) => entry.trim().split("\u0001"))
    .flatMap(([name = "", text]) => (text === undefined ? [] : [{ name, text }]));
}

const [option, given] = process.argv.slice(2);
const messages =
  option === "--message" && given !== undefined
    ? [{ name: "The message", text: readFileSync(given, "utf8").split(scissors)[0] ?? "" }]
    : readCommits(option);
const problems = messages.flatMap(({ name, text }) => {
  const problem = findMessageProblem(text);
  return problem === undefined ? [] : [`${name}: ${problem}.  ${text.split("\n", 1)[0] ?? ""}`];
});
for (const problem of problems) console.log(problem);
if (problems.length > 0) console.log("CONTRIBUTING.md, Commits.");
else if (option !== "--message") console.log(`${messages.length} commits checked`);
process.exitCode = problems.length === 0 && messages.length > 0 ? 0 : 1;
