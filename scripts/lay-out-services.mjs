// Makes one folder for each service, with everything that it needs at run time: its build, its migrations and its production
// dependencies. Used by deploy/docker/Dockerfile: node scripts/lay-out-services.mjs <folder>
import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runStep } from "./run-step.mjs";
import { ensureToolchain, repositoryRoot } from "./toolchain.mjs";

/** Not needed by a running service. */
const LEFT_OUT = ["src", "test", "tsconfig.build.json", ".turbo"];
/** Packages for the image `tools`. */
const TOOLS = ["keys", "migrate"];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Usage: node scripts/lay-out-services.mjs <folder>");
const { env } = await ensureToolchain();
const services = readdirSync(join(repositoryRoot, "services")).filter((name) => name !== "console");
for (const name of [...services, ...TOOLS]) {
  const target = join(folder, name);
  await runStep(`Laying out ${name}`, {
    command: "pnpm",
    args: ["--filter", `@gatehouse/${name}`, "deploy", "--prod", "--legacy", target],
    cwd: repositoryRoot,
    env,
  });
  for (const entry of LEFT_OUT) rmSync(join(target, entry), { recursive: true, force: true });
}
for (const name of services) {
  const migrations = join(repositoryRoot, "services", name, "prisma", "migrations");
  const target = join(folder, "services", name, "prisma", "migrations");
  if (existsSync(migrations)) cpSync(migrations, target, { recursive: true });
}
