import { ConfigError, type Environment } from "@gatehouse/config";
import type { RunnableService } from "@gatehouse/service";
import { serviceNames } from "@gatehouse/trust";
import { ownPrefix } from "./config.ts";
import { loadPrograms } from "./programs.ts";

/** Beginning of the settings that OpenTelemetry's SDK reads from the process, for all its services. */
const processPrefix = "OTEL_";

/**
 * Programs that refuse each setting with their prefix that no service reads (`CHAT__PROT`), since a mistyped name would otherwise
 * leave the default in force. Names without a prefix may be those of other programs. A setting of another service is without
 * effect, as it is without the prefix, so that the same settings can be given to each service.
 */
export async function refuseUnknown(
  programs: readonly RunnableService[],
  environmentOf: (service: string) => Environment,
): Promise<readonly RunnableService[]> {
  const unread = new Map(programs.map((program) => [program.name, findUnread(program, environmentOf)] as const));
  const isSuspect = [...unread.values()].some((settings) => settings.length > 0);
  const known = isSuspect ? await findKnown(environmentOf) : new Set<string>();
  return programs.map((program) => {
    const unknown = (unread.get(program.name) ?? []).filter((setting) => !known.has(setting));
    return refuse(program, unknown.map(toProblem(program.name)));
  });
}

/** Settings with a service's prefix, without it, that the service does not read. */
function findUnread(program: RunnableService, environmentOf: (service: string) => Environment): readonly string[] {
  const prefix = ownPrefix(program.name);
  const env = settingsOf(program.name, environmentOf);
  const own = Object.keys(env).filter((name) => name.startsWith(prefix));
  if (own.length === 0) return [];
  const read = findRead(program, env);
  const settings = own.map((name) => name.slice(prefix.length));
  return settings.filter((setting) => setting.startsWith(processPrefix) || !read.has(setting));
}

/** Names of the settings that any service reads. Loads the programs of all services. */
async function findKnown(environmentOf: (service: string) => Environment): Promise<ReadonlySet<string>> {
  const programs = await loadPrograms(new Set(serviceNames));
  const read = programs.flatMap((program) => [...findRead(program, settingsOf(program.name, environmentOf))]);
  return new Set(read.filter((setting) => !setting.startsWith(processPrefix)));
}

/** Names that a program reads from its environment, and from an empty one: some are read only in the absence of another. */
function findRead(program: RunnableService, env: Environment): ReadonlySet<string> {
  const read = new Set<string>();
  for (const source of [env, {}]) {
    const get = (values: Environment, name: string | symbol) => {
      if (typeof name !== "string") return undefined;
      read.add(name);
      return values[name];
    };
    ignoreProblems(() => program.load(new Proxy(source, { get })));
  }
  return read;
}

const toProblem = (service: string) => (setting: string) => {
  const name = `${ownPrefix(service)}${setting}`;
  return setting.startsWith(processPrefix)
    ? `${name} is for the whole process: set ${setting}, or run ${service} in a separate process.`
    : `${name} is no setting; look for a misspelling.`;
};

/** A program with further problems beside those of its settings, so that all can be fixed at once. */
function refuse(program: RunnableService, problems: readonly string[]): RunnableService {
  if (problems.length === 0) return program;
  return {
    name: program.name,
    load(env) {
      const found = ignoreProblems(() => program.load(env));
      throw new ConfigError([...(found instanceof ConfigError ? found.problems : []), ...problems]);
    },
  };
}

/** The environment of a service; empty if it is refused, which the start reports. */
function settingsOf(service: string, environmentOf: (service: string) => Environment): Environment {
  const env = ignoreProblems(() => environmentOf(service));
  return env instanceof ConfigError ? {} : env;
}

function ignoreProblems<T>(load: () => T): T | ConfigError {
  try {
    return load();
  } catch (err) {
    if (err instanceof ConfigError) return err;
    throw err;
  }
}
