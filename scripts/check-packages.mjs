import { spawnSync } from "node:child_process";
// pnpm packages: checks in the lock files that every package is pinned to a digest and comes from the registry. With --signatures
// it also checks the registry's signatures of all installed packages, and known vulnerabilities.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repositoryRoot } from "./toolchain.mjs";

const DIGEST = /^sha512-[A-Za-z0-9+/]{86}==$/;
/** Errors of a registry without signatures or advisories. */
const NOT_OFFERED = /\b(404|405|501)\b|ENOTFOUND|ECONNREFUSED|network/;

/**
 * Problems of a pnpm lock file: packages without a SHA-512 digest, or from elsewhere than the registry.
 * @param {string} text pnpm-lock.yaml
 * @returns {{ packages: number, problems: string[] }}
 */
export function checkPnpmLock(text) {
  const problems = [];
  let packages = 0;
  let name = "";
  let inPackages = false;
  for (const line of text.split("\n")) {
    if (/^\S/.test(line)) inPackages = line.startsWith("packages:");
    name = /^ {2}'?([^\s'][^']*?)'?:$/.exec(line)?.[1] ?? name;
    const resolution = /^ {4}resolution: \{(.*)\}$/.exec(line)?.[1];
    if (!inPackages || resolution === undefined) continue;
    packages += 1;
    const { integrity, ...others } = Object.fromEntries(resolution.split(", ").map((part) => part.split(/: (.*)/, 2)));
    if (!DIGEST.test(integrity ?? "")) problems.push(`${name} has no SHA-512 digest`);
    for (const source of Object.keys(others)) problems.push(`${name} comes from a ${source}, not from the registry`);
  }
  if (packages === 0) problems.push("the lock file lists no packages");
  return { packages, problems };
}

/** Problems of an npm lock file, by the same rules. */
export function checkNpmLock(text) {
  const entries = Object.entries(JSON.parse(text).packages).filter(([path]) => path !== "");
  const problems = entries
    .filter(([, { integrity }]) => !DIGEST.test(integrity ?? ""))
    .map(([path]) => `${path} has no SHA-512 digest`);
  return { packages: entries.length, problems };
}

function checkLockFiles() {
  const toolchain = join(repositoryRoot, "scripts", "toolchain");
  const reports = [
    checkPnpmLock(readFileSync(join(repositoryRoot, "pnpm-lock.yaml"), "utf8")),
    ...readdirSync(toolchain).map((set) =>
      checkNpmLock(readFileSync(join(toolchain, set, "package-lock.json"), "utf8")),
    ),
  ];
  const problems = reports.flatMap((report) => report.problems);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  const count = reports.reduce((sum, { packages }) => sum + packages, 0);
  process.stdout.write(`${count} packages checked, ${problems.length} problems\n`);
  return problems.length === 0;
}

function askRegistry(args) {
  const { status, stdout, stderr } = spawnSync("pnpm", args, { cwd: repositoryRoot, encoding: "utf8" });
  const said = `${stdout}${stderr}`.trim();
  if (status !== 0 && NOT_OFFERED.test(said)) {
    process.stdout.write(`pnpm ${args.join(" ")}: the registry does not offer this; skipped.\n`);
    return true;
  }
  process.stdout.write(`pnpm ${args.join(" ")}:\n${said}\n`);
  return status === 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const results = [checkLockFiles()];
  if (process.argv.includes("--signatures")) {
    results.push(askRegistry(["audit", "signatures"]), askRegistry(["audit", "--prod", "--audit-level=high"]));
  }
  process.exitCode = results.every(Boolean) ? 0 : 1;
}
