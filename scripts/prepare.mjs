// Prepares a checkout to run: tools, dependencies, build. Skips what is up to date.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fingerprintContents, fingerprintFiles, readIfPresent } from "./fingerprint.mjs";
import { runStep } from "./run-step.mjs";
import { ensureToolchain, repositoryRoot } from "./toolchain.mjs";

const SOURCES = ["proto", "packages", "services", "deploy/standalone", "deploy/services", "deploy/serve", "tools"];
const ROOT_FILES = [
  "package.json",
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "turbo.json",
  "tsconfig.base.json",
  "tsconfig.build.json",
];
const WORKSPACE_PARENTS = ["packages", "services", "tools", "tests"];
const WORKSPACES = ["proto", "deploy/standalone", "deploy/services", "deploy/serve"];
const STAMPS = join(repositoryRoot, "node_modules", ".gatehouse");

/**
 * Installs and builds what has changed since the last time, and returns the toolchain for commands. Rejects with one sentence for
 * people when a step fails, whose output is then on stderr.
 * @returns {Promise<import("./toolchain.mjs").Toolchain>}
 */
export async function prepare() {
  const toolchain = await ensureToolchain();
  const workspaces = listWorkspaces();
  await installDependencies(toolchain, workspaces);
  await build(toolchain, workspaces);
  return toolchain;
}

async function installDependencies({ node, env }, workspaces) {
  const manifests = workspaces.map((workspace) => join(workspace, "package.json"));
  const files = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests];
  const state = `${process.platform}-${process.arch} ${fingerprintContents(repositoryRoot, files)}`;
  await unlessDone("installed", state, () =>
    runStep("Installing dependencies", {
      command: "pnpm",
      // A node_modules of another layout is replaced without confirmation, since there may be no terminal.
      args: ["install", "--frozen-lockfile", "--config.confirm-modules-purge=false"],
      cwd: repositoryRoot,
      env: { ...env, npm_node_execpath: node },
    }),
  );
}

async function build({ env }, workspaces) {
  const state = fingerprintFiles(repositoryRoot, [...SOURCES, ...ROOT_FILES]);
  if (workspaces.some((workspace) => isUnbuilt(workspace))) {
    rmSync(join(STAMPS, "built"), { force: true });
  }
  await unlessDone("built", state, () =>
    runStep("Building", {
      command: "turbo",
      args: ["run", "build", "bundle", "--ui=stream", "--output-logs=errors-only"],
      cwd: repositoryRoot,
      env,
    }),
  );
}

/** Runs `step` unless the stamp `name` holds `state`, and writes the stamp on success. */
async function unlessDone(name, state, step) {
  const stamp = join(STAMPS, name);
  if (readIfPresent(stamp) === state) {
    return;
  }
  rmSync(stamp, { force: true });
  await step();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, state);
}

function listWorkspaces() {
  const nested = WORKSPACE_PARENTS.flatMap((parent) => {
    const folder = join(repositoryRoot, parent);
    return existsSync(folder)
      ? readdirSync(folder)
          .sort()
          .map((name) => join(parent, name))
      : [];
  });
  return [...WORKSPACES, ...nested].filter((path) => existsSync(join(repositoryRoot, path, "package.json")));
}

/** Whether a workspace's output was removed although no source has changed. */
function isUnbuilt(workspace) {
  const { scripts } = JSON.parse(readIfPresent(join(repositoryRoot, workspace, "package.json")));
  const lacks = (folder) => !existsSync(join(repositoryRoot, workspace, folder));
  return (scripts?.build !== undefined && lacks("dist")) || (scripts?.bundle !== undefined && lacks("dist/bundle"));
}
