import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startChild } from "../src/child.ts";

/**
 * Commands of the first hour: each command of the pages is one that the command line knows, and a wrong flag in any of
 * them is refused before anything is asked of a gateway. The first start is in lifecycle.e2e.test.ts, a restore on a second gateway
 * in restore.e2e.test.ts.
 */

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Nothing listens there, so that a correct command which asks a gateway fails in one way only. */
const nowhere = "http://127.0.0.1:1";
/** Groups of commands that work without a gateway. */
const localGroups: readonly (string | undefined)[] = ["keyring"];
/** Files that the commands of the pages read or write. */
const files = /^(?:gatehouse\.yaml|keyring\.next)$/;
const keyring = `k1:${Buffer.alloc(32).toString("base64")}`;
let folder: string;
let commands: readonly (readonly string[])[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-hour-"));
  await writeFile(join(folder, "gatehouse.yaml"), "version: 1\n");
  const names = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md"));
  const pages = ["README.md", ...names.map((name) => join("docs", name))];
  const texts = await Promise.all(pages.map(async (page) => await readFile(join(root, page), "utf8")));
  const lines = texts.flatMap((text) => text.match(/^(?:npx )?gatehouse [a-z].*$/gm) ?? []);
  commands = [...new Set(lines)].map(toWords);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** The words of a line as a shell would pass them, without the program's name. */
function toWords(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  const plain = words.map((word) => word.replaceAll("'", "").replace(files, (name) => join(folder, name)));
  return plain.slice(plain.indexOf("gatehouse") + 1);
}

async function gatehouse(words: readonly string[]) {
  const secrets = { GATEHOUSE_ADMIN_KEY: "svc_admin_x", OPENAI_API_KEY: "sk-x", GATEHOUSE_KEYRING: keyring };
  const env = { GATEHOUSE_URL: nowhere, FORCE_COLOR: "0", ...secrets };
  const child = startChild("packages/cli/dist/main.js", env, words);
  await new Promise((resolve) => child.process.once("close", resolve));
  return { code: child.process.exitCode, output: child.output() };
}

test("each command of the pages is one that the command line knows", { timeout: 120_000 }, async () => {
  expect(commands.length).toBeGreaterThan(10);
  for (const words of commands) {
    const { code, output } = await gatehouse(words);
    const [expectedCode, expectedText] = localGroups.includes(words[0]) ? [0, ""] : [1, "cannot be reached"];
    expect([code, output], words.join(" ")).toEqual([expectedCode, expect.stringContaining(expectedText)]);
  }
});

test("a wrong flag in any of them is refused, and named", { timeout: 120_000 }, async () => {
  for (const words of commands) {
    const { code, output } = await gatehouse([...words, "--no-such-flag"]);
    expect([code, output], words.join(" ")).toEqual([2, expect.stringContaining("--no-such-flag")]);
  }
});
