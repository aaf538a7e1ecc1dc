// Finds what the repository's commands need, and fetches it from npm into .toolchain/ where it is absent:
// a Node that is new enough, and pnpm. Runs on Node 18 with nothing installed. Nothing is ever installed globally.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runStep } from "./run-step.mjs";

/** The root of the repository. */
export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const toolchainRoot = join(repositoryRoot, ".toolchain");
/** The release line that is fetched when the Node at hand is too old. */
const NODE_MAJOR = 24;
/** npm's own defaults retry for minutes without a word when the registry cannot be reached. */
const NETWORK_FLAGS = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"];

/**
 * What every command of the repository runs with.
 * @typedef {{ node: string, env: NodeJS.ProcessEnv }} Toolchain `env` has Node, pnpm and the workspace's programs first on its path
 */

/**
 * Needs the network only when something is missing.
 * @returns {Promise<Toolchain>}
 */
export async function ensureToolchain() {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  const node = await ensureNode(manifest.engines.node);
  const pnpm = await ensurePnpm(manifest.devEngines.packageManager.version);
  const path = [dirname(node), dirname(pnpm), join(repositoryRoot, "node_modules", ".bin"), process.env.PATH ?? ""];
  const env = { ...withoutNpmSettings(process.env), PATH: path.join(delimiter), TURBO_TELEMETRY_DISABLED: "1" };
  return { node, env };
}

/** `minimum` is the `engines` entry of package.json, of the form `>=22.19`. */
async function ensureNode(minimum) {
  if (isAtLeast(process.versions.node, minimum)) {
    return process.execPath;
  }
  // The package for Apple silicon goes by another name than its siblings.
  const prefix = process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  const name = `${prefix}-${process.platform}-${process.arch}`;
  const folder = await ensurePackage(
    name,
    String(NODE_MAJOR),
    `Node ${NODE_MAJOR} (this one is ${process.versions.node})`,
  );
  return join(folder, "node_modules", name, "bin", "node");
}

async function ensurePnpm(range) {
  const folder = await ensurePackage("pnpm", range, "pnpm");
  // The native program itself, which pnpm's install script would only link elsewhere.
  const scope = join(folder, "node_modules", "@pnpm");
  const packages = readdirSync(scope).filter((name) => name.startsWith("exe."));
  const program = packages.map((name) => join(scope, name, "pnpm")).find((path) => existsSync(path));
  if (program === undefined) {
    throw new Error(`pnpm has no program for ${process.platform}-${process.arch}. Delete .toolchain and try again.`);
  }
  return program;
}

/** A folder of its own for each package and range; it gets its name when the install is complete, so half of one never counts. */
async function ensurePackage(name, range, label) {
  const folder = join(toolchainRoot, `${name}-${process.platform}-${process.arch}-${range.replace(/[^\w.]/g, "")}`);
  if (existsSync(folder)) {
    return folder;
  }
  const incomplete = `${folder}.${process.pid}.incomplete`;
  mkdirSync(incomplete, { recursive: true });
  try {
    const flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", ...NETWORK_FLAGS];
    const args = ["install", "--prefix", incomplete, ...flags, `${name}@${range}`];
    await runStep(`Fetching ${label} from npm`, { ...npmCommand(args), env: process.env, cwd: repositoryRoot });
    renameSync(incomplete, folder);
  } finally {
    rmSync(incomplete, { recursive: true, force: true });
  }
  return folder;
}

/** The npm that runs this script, if one does, since another need not be on the path. */
function npmCommand(args) {
  const running = process.env.npm_execpath;
  return running !== undefined && /npm-cli\.[cm]?js$/.test(running)
    ? { command: process.execPath, args: [running, ...args] }
    : { command: "npm", args };
}

/** What npm hands to its scripts would be taken for settings by pnpm. Registry and certificate settings are in files or plain variables. */
function withoutNpmSettings(env) {
  const isHandedDown = (name) => /^npm_(package|lifecycle|command|execpath|node_execpath)/.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isHandedDown(name)));
}

function isAtLeast(version, minimum) {
  const toNumbers = (text) => text.replace(/^>=/, "").split(".").map(Number);
  const [wanted, actual] = [toNumbers(minimum), toNumbers(version)];
  for (const [index, number] of wanted.entries()) {
    if (actual[index] !== number) {
      return actual[index] > number;
    }
  }
  return true;
}
