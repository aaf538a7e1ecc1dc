// Finds what the repository's commands need, a recent Node and pnpm, or fetches it from npm into .toolchain/, in the version and
// with the digest that scripts/toolchain/ pins. Runs on Node 18 with nothing installed. Nothing is installed globally.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runStep } from "./run-step.mjs";

export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const toolchainRoot = join(repositoryRoot, ".toolchain");
/** Manifests and lock files of fetched packages. */
const pinned = join(repositoryRoot, "scripts", "toolchain");
/** Version for platforms without a lock file. */
const NODE_VERSION = "24.21.0";
/** npm's defaults retry for minutes without output when the registry is unreachable. */
const NETWORK_FLAGS = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"];

/**
 * Node and environment for every command of the repository.
 * @typedef {{ node: string, env: NodeJS.ProcessEnv }} Toolchain `env` has Node, pnpm and the workspace's programs first on its
 * path
 */

/** Needs the network only when something is missing. @returns {Promise<Toolchain>} */
export async function ensureToolchain() {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  const node = await ensureNode(manifest.devEngines.runtime.version);
  const pnpm = await ensurePnpm(manifest.devEngines.packageManager.version);
  const path = [dirname(node), dirname(pnpm), join(repositoryRoot, "node_modules", ".bin"), process.env.PATH ?? ""];
  const env = { ...withoutNpmSettings(process.env), PATH: path.join(delimiter), TURBO_TELEMETRY_DISABLED: "1" };
  return { node, env };
}

/** `minimum` has the form `>=22.19`. Not the `engines` of package.json, which npm checks: older versions only start the scripts. */
async function ensureNode(minimum) {
  if (isAtLeast(process.versions.node, minimum)) {
    return process.execPath;
  }
  // The package for Apple silicon has a different name.
  const prefix = process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  const name = `${prefix}-${process.platform}-${process.arch}`;
  const folder = await ensurePackage(
    "node",
    `${name}@${NODE_VERSION}`,
    `a current Node (this one is ${process.versions.node})`,
  );
  return join(folder, "node_modules", name, "bin", "node");
}

/** The native program itself, which pnpm's package would only link. */
async function ensurePnpm(version) {
  const name = `@pnpm/exe.${process.platform}-${process.arch}`;
  const folder = await ensurePackage("pnpm", `${name}@${version}`, "pnpm");
  return join(folder, "node_modules", name, "pnpm");
}

/**
 * Installs a package into a folder for its version, which is renamed when complete, so that a partial install never counts. `npm
 * ci` refuses a package whose digest differs from the lock file of scripts/toolchain/<set>; on a platform without a lock file,
 * the version is pinned and the digest is the registry's.
 * @param {string} set
 * @param {string} specifier name and version
 * @param {string} label activity shown to the user
 * @returns {Promise<string>} folder with it in `node_modules`
 */
export async function ensurePackage(set, specifier, label) {
  const name = specifier.slice(0, specifier.lastIndexOf("@"));
  const lock = JSON.parse(readFileSync(join(pinned, set, "package-lock.json"), "utf8"));
  const locked = lock.packages[`node_modules/${name}`];
  const version = locked?.version ?? specifier.slice(name.length + 1);
  const folder = join(toolchainRoot, `${set}-${process.platform}-${process.arch}-${version}`);
  if (existsSync(folder)) {
    return folder;
  }
  const incomplete = `${folder}.${process.pid}.incomplete`;
  mkdirSync(incomplete, { recursive: true });
  try {
    const flags = ["--prefix", incomplete, "--no-audit", "--no-fund", "--ignore-scripts", ...NETWORK_FLAGS];
    if (locked !== undefined) {
      for (const file of ["package.json", "package-lock.json"])
        copyFileSync(join(pinned, set, file), join(incomplete, file));
    }
    const args = locked === undefined ? ["install", "--no-save", "--no-package-lock", specifier] : ["ci"];
    const program = npmCommand([...args, ...flags]);
    await runStep(`Fetching ${label} from npm`, { ...program, env: process.env, cwd: incomplete });
    // npm silently skips an optional package with a wrong digest.
    if (!existsSync(join(incomplete, "node_modules", name))) {
      throw new Error(`${name} was refused: its digest is not the one in scripts/toolchain/${set}/package-lock.json.`);
    }
    renameSync(incomplete, folder);
  } finally {
    rmSync(incomplete, { recursive: true, force: true });
  }
  return folder;
}

/** The npm that runs this script, if any, since another need not be on the path. */
function npmCommand(args) {
  const running = process.env.npm_execpath;
  return running !== undefined && /npm-cli\.[cm]?js$/.test(running)
    ? { command: process.execPath, args: [running, ...args] }
    : { command: "npm", args };
}

/**
 * The environment without npm's variables for its scripts, which pnpm would read as settings. Registry and certificate settings
 * are in files or plain variables.
 */
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
