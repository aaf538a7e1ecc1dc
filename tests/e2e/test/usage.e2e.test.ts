import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** None of these prepares a checkout, or starts anything. */
const timeoutMs = 20_000;

function run(command: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, command.split(" "), {
    cwd: root,
    encoding: "utf8",
    timeout: timeoutMs,
  });
  return { status, stdout, stderr };
}

const commands = [
  "scripts/start.mjs",
  "scripts/start-services.mjs",
  "scripts/test.mjs",
  "scripts/gatehouse.mjs serve",
  "scripts/gatehouse.mjs migrate",
  "scripts/gatehouse.mjs keys",
  "deploy/standalone/dist/bundle/main.js",
  "deploy/services/dist/main.js",
];

test.each(commands)("%s --help prints the usage and does nothing else", (command) => {
  const { status, stdout, stderr } = run(`${command} --help`);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/Usage:|takes no arguments/);
});

test.each(commands)("%s with an unknown argument is refused with the usage", (command) => {
  const { status, stdout, stderr } = run(`${command} --porrt=8081`);
  expect({ refused: status === 1 || status === 2, stdout }).toEqual({ refused: true, stdout: "" });
  expect(stderr).toMatch(/Usage:|takes no arguments/);
});

test.each(["scripts/start.mjs", "scripts/start-services.mjs", "scripts/test.mjs"])(
  "%s exits with 2 for an unknown argument, and names it",
  (command) => {
    expect(run(`${command} sevices`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Unknown argument: sevices") as string,
    });
  },
);

test("gatehouse --help names the commands of this machine too", () => {
  const { stdout } = run("scripts/gatehouse.mjs --help");
  for (const command of commands.filter((each) => each.startsWith("scripts/gatehouse.mjs ")))
    expect(stdout).toMatch(new RegExp(`^ {2}${command.split(" ")[1]} {2,}\\S`, "m"));
});
