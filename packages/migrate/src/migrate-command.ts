import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { readIfThere } from "@gatehouse/trust";
import { Secret } from "@gatehouse/vault";
import { migratedServices, migrateService } from "./migrate-service.ts";

/** Output lines of the command, without line ends; tests replace them. */
interface Surroundings {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

const usage = `Usage: gatehouse migrate [--folder keys] [--services services] [service ...]

Applies the migrations of every service, or of those named, each with the role of its <folder>/migration/<service>.
Run it before the first start and before every upgrade; it may be run again at any time.`;

/** Runs `gatehouse migrate …`. A refused command migrates nothing. @returns the exit code: 0, or 1 with a reason on `err`. */
export async function runMigrateCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { out, err } = surroundings;
  const given = parse(args);
  if (given === undefined) {
    err(usage);
    return 1;
  }
  if (given.help) {
    out(usage);
    return 0;
  }
  const unknown = given.names.filter((name) => !(migratedServices as readonly string[]).includes(name));
  if (unknown.length > 0) {
    err(`No service with a database: ${unknown.join(", ")}.\n\n${usage}`);
    return 1;
  }
  const services = folderUrl(given.services);
  const names = given.names.length > 0 ? given.names : migratedServices;
  let current = names[0] ?? "";
  try {
    const urls = new Map<string, Secret>();
    for (current of names) urls.set(current, await readMigrationUrl(resolve(given.folder), current));
    for (const [service, url] of urls) {
      current = service;
      await migrateService({ service, url, services });
      out(`${service}: up to date.`);
    }
    return 0;
  } catch (error) {
    err(`${current}: ${error instanceof Error ? error.message : "unknown"}`);
    return 1;
  }
}

/** Reads the URL; in a folder of an earlier version it is among the service's files. */
async function readMigrationUrl(folder: string, service: string): Promise<Secret> {
  const path = join(folder, "migration", service);
  const text = (await readIfThere(path)) ?? (await readIfThere(join(folder, service, "migration-url")));
  if (text !== undefined) return new Secret(text.trim());
  throw new Error(
    `${path} is absent. Make keys with: gatehouse keys init. In a folder of an earlier version the same command moves <service>/migration-url there.`,
  );
}

function folderUrl(path: string): URL {
  return new URL(`${pathToFileURL(resolve(path)).href}/`);
}

function parse(args: readonly string[]) {
  try {
    const { values, positionals: names } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        folder: { type: "string", default: "keys" },
        services: { type: "string", default: "services" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    return { ...values, names };
  } catch {
    return undefined;
  }
}
