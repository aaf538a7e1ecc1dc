import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import * as here from "@gatehouse/guardrail/training";
import { formatTable } from "../evaluate/table.ts";
import { speedTable } from "./speed.ts";
import { comparedTexts } from "./texts.ts";
import { differences } from "./verdicts.ts";

/** The part of the guardrail service by which two builds are compared. */
export type Build = Pick<typeof here, "compilePolicy" | "inspect">;

const usage = `Usage: pnpm --filter guardrail-train compare <other> <data folder> [--speed]
  <other>        folder of the guardrail service in another checkout, such as one of the commit before
  --speed        compare the time alone, in turns
Exits with 1 where a verdict differs.
`;
const shownMax = 20;
const shownLength = 120;

const options = process.argv.slice(2);
const [otherFolder, dataFolder] = options.filter((option) => !option.startsWith("--"));
if (otherFolder === undefined || dataFolder === undefined) {
  process.stderr.write(usage);
  process.exit(2);
}
const base = process.env["INIT_CWD"] ?? ".";
const other = (await import(pathToFileURL(resolve(base, otherFolder, "src/training.ts")).href)) as Build;
const path = resolve(base, dataFolder);

if (options.includes("--speed")) {
  process.stdout.write(formatTable(speedTable({ here, other }, path)));
} else {
  const texts = comparedTexts(path);
  const found = differences({ here, other }, texts);
  for (const { text, role, ours, theirs } of found.slice(0, shownMax))
    process.stdout.write(
      `${role}: ${JSON.stringify(text.slice(0, shownLength))}\n  here  ${ours}\n  other ${theirs}\n`,
    );
  process.stdout.write(`${texts.length} texts, ${found.length} verdicts differ\n`);
  if (found.length > 0) process.exitCode = 1;
}
