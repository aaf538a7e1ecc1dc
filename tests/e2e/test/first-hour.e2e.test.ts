import { spawn } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { armor, Encrypter } from "age-encryption";
import { afterAll, beforeAll, expect, test } from "vitest";

/**
 * Commands of the first hour: a shell runs each documented line with the CLI unchanged, pipes included, against a closed port; a
 * wrong flag is refused before that. The first start is tested in lifecycle.e2e.test.ts, a restore on a second gateway in
 * restore.e2e.test.ts.
 */

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** A closed port, so that a correct command fails in one way only. */
const nowhere = "http://127.0.0.1:1";
/** Groups of commands that need no gateway. */
const localGroup = /gatehouse keyring /;
/** Commands of the services' program of that name (docs/operations.md). */
const ofServices = /gatehouse (?:keys|migrate|serve)\b/;
/** The call in a line, up to a pipe or a redirection. */
const call = /(?:npx )?gatehouse [a-z][^|<>&;]*/;
const passphrase = "correct horse battery staple";
/** Concurrent shells. */
const shells = 4;
let folder: string;
let lines: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-hour-"));
  await writeFile(join(folder, "gatehouse.yaml"), "version: 1\n");
  await writeFile(join(folder, "backup.age"), await sealedDocument());
  const program = `exec '${process.execPath}' '${join(root, "packages/cli/dist/main.js")}' "$@"\n`;
  await writeProgram("gatehouse", program);
  await writeProgram("npx", `shift\n${program}`);
  const names = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md"));
  const pages = ["README.md", "packages/cli/README.md", ...names.map((name) => join("docs", name))];
  const texts = await Promise.all(pages.map(async (page) => await readFile(join(root, page), "utf8")));
  lines = [...new Set(texts.flatMap(linesOf))].filter((line) => !ofServices.test(line));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

async function writeProgram(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${text}`);
  await chmod(join(folder, name), 0o755);
}

async function sealedDocument(): Promise<string> {
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(10);
  encrypter.setPassphrase(passphrase);
  return armor.encode(await encrypter.encrypt("version: 1\n"));
}

/** Lines of code with a call of the CLI, and calls within text that are more than a command's name. */
function linesOf(page: string): readonly string[] {
  const blocks = page.match(/^```[\s\S]*?^```$/gm) ?? [];
  const inBlocks = blocks
    .flatMap((block) => block.split("\n"))
    .map((line) => line.replace(/ +# .*$/, ""))
    .filter((line) => /(?:^|\| )(?:npx )?gatehouse [a-z]/.test(line));
  const text = page.replaceAll(/^```[\s\S]*?^```$/gm, "");
  const inText = text.match(/(?<=`)(?:npx )?gatehouse [a-z-]+ [^ `…]+ [^`…]+(?=`)/g) ?? [];
  return [...inBlocks, ...inText];
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

async function runLine(line: string): Promise<Ended> {
  const settings = { GATEHOUSE_URL: nowhere, GATEHOUSE_ADMIN_KEY: "svc_admin_x", FORCE_COLOR: "0" };
  const secrets = { OPENAI_API_KEY: "sk-x", BACKUP_PASSPHRASE: passphrase };
  const keyring = { GATEHOUSE_KEYRING: `k1:${Buffer.alloc(32).toString("base64")}` };
  const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}`, ...settings, ...secrets, ...keyring };
  const shell = spawn("/bin/sh", ["-c", line], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => shell.once("close", resolve));
  return { code, output };
}

async function runEach(given: readonly string[], judge: (line: string, ended: Ended) => void): Promise<void> {
  const waiting = [...given];
  const work = async () => {
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) judge(line, await runLine(line));
  };
  await Promise.all(Array.from({ length: shells }, work));
}

test("each command on the pages is known to the command line", { timeout: 240_000 }, async () => {
  expect(lines.length).toBeGreaterThan(25);
  expect(lines.filter((line) => line.includes(" | "))).not.toEqual([]);
  await runEach(
    lines.filter((line) => !localGroup.test(line)),
    (line, { code, output }) => {
      expect([code, output], line).toEqual([1, expect.stringContaining("cannot be reached")]);
    },
  );
  // Sequential: one writes the file that the next reads.
  const local = lines.filter((line) => localGroup.test(line));
  expect(local).toHaveLength(2);
  for (const line of local.toSorted().toReversed()) expect(await runLine(line), line).toMatchObject({ code: 0 });
});

test("an unknown flag in any of them is refused by name", { timeout: 240_000 }, async () => {
  const wrong = lines.map((line) => line.replace(call, (words) => `${words.trimEnd()} --no-such-flag `));
  await runEach(wrong, (line, { code, output }) => {
    expect([code, output], line).toEqual([2, expect.stringContaining("--no-such-flag")]);
  });
});
