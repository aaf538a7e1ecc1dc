import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  GenericContainer,
  getContainerRuntimeClient,
  Network,
  type StartedNetwork,
  type StartedTestContainer,
  Wait,
} from "testcontainers";
import { parse } from "yaml";

/** Services of `docker-compose.yml`, started individually over the engine's API, so that `docker compose` is not needed. */

const root = join(import.meta.dirname, "../../..");
const secondMs = 1_000;
/** Includes a build of all packages on a busy machine. */
const startTimeoutMs = 120_000;

/** Characters of a container's last output in an error. */
const printedMax = 2_000;

/** The used part of a service's definition. */
interface Definition {
  readonly build?: { readonly dockerfile: string; readonly target: string };
  readonly image: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  /** Null: a variable without a value. */
  readonly environment?: Readonly<Record<string, string | number | null>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: {
    readonly test: readonly ["CMD" | "CMD-SHELL", ...string[]];
    readonly interval: string;
    readonly timeout?: string;
    readonly retries?: number;
    readonly start_period?: string;
  };
}

/** Why no container can be started; undefined: one can. */
export async function findEngineProblem(): Promise<string | undefined> {
  try {
    await getContainerRuntimeClient();
    return undefined;
  } catch (err) {
    return err instanceof Error ? err.message : "unknown";
  }
}

/** Adds options that `GenericContainer` lacks. */
class ComposeContainer extends GenericContainer {
  withReadOnlyRoot(): this {
    this.hostConfig.ReadonlyRootfs = true;
    return this;
  }

  /** Anonymous volumes, removed with the container. */
  withVolumes(paths: readonly string[]): this {
    this.createOpts.Volumes = Object.fromEntries(paths.map((path) => [path, {}]));
    return this;
  }
}

/** A set of containers on one network. */
export class ComposedServices {
  readonly #definitions: Readonly<Record<string, Definition>>;
  readonly #network: StartedNetwork;
  /** Substitute for the folder of `docker-compose.yml`. */
  readonly #folder: string;
  readonly #started: StartedTestContainer[] = [];
  readonly #built = new Set<string>();

  private constructor(definitions: Readonly<Record<string, Definition>>, network: StartedNetwork, folder: string) {
    this.#definitions = definitions;
    this.#network = network;
    this.#folder = folder;
  }

  /** @param env values of the file's variables, as in `.env` */
  static async open(env: Readonly<Record<string, string | undefined>>): Promise<ComposedServices> {
    const text = await readFile(join(root, "docker-compose.yml"), "utf8");
    const { services } = parse(interpolate(text, env), { merge: true }) as { services: Record<string, Definition> };
    const folder = await mkdtemp(join(tmpdir(), "gatehouse-containers-"));
    const network = await new Network().start();
    const composed = new ComposedServices(services, network, folder);
    // The services' user differs from this one, and writes the keys.
    await chmod(folder, 0o711);
    return composed;
  }

  get folder(): string {
    return this.#folder;
  }

  /** Builds the service's image, if it has a build. @param baseImage defaults to the Dockerfile's */
  async build(name: string, baseImage: string | undefined): Promise<void> {
    const { build, image } = this.#definition(name);
    if (build === undefined || this.#built.has(image)) return;
    this.#built.add(image);
    await GenericContainer.fromDockerfile(root, build.dockerfile)
      .withTarget(build.target)
      .withBuildArgs(baseImage === undefined ? {} : { BASE_IMAGE: baseImage })
      .build(image, { deleteOnExit: false });
  }

  /** Starts a service and waits until it is healthy, or, if it ends by itself, until it has succeeded. */
  async start(name: string): Promise<StartedTestContainer> {
    const definition = this.#definition(name);
    const container = this.#toContainer(name, definition);
    container.withWaitStrategy(definition.healthcheck === undefined ? Wait.forOneShotStartup() : Wait.forHealthCheck());
    let printed = "";
    container.withLogConsumer((stream) => stream.on("data", (chunk) => (printed += String(chunk))));
    try {
      const started = await container.withStartupTimeout(startTimeoutMs).start();
      this.#started.push(started);
      return started;
    } catch (cause) {
      throw new Error(`The container ${name} did not start. It printed: ${printed.slice(-printedMax)}`, { cause });
    }
  }

  async stop(): Promise<void> {
    for (const container of this.#started.toReversed()) await container.stop({ timeout: 15 * secondMs });
    await this.#network.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #definition(name: string): Definition {
    const definition = this.#definitions[name];
    if (definition === undefined) throw new Error(`docker-compose.yml has no service ${name}.`);
    return definition;
  }

  #toContainer(name: string, definition: Definition): GenericContainer {
    const { user, entrypoint, command, environment, volumes = [], ports = [], healthcheck } = definition;
    const container = new ComposeContainer(definition.image)
      .withNetwork(this.#network)
      .withNetworkAliases(name)
      .withVolumes(volumes.flatMap((volume) => (volume.startsWith("./") ? [] : [volume.split(":").at(-1) ?? ""])))
      .withBindMounts(volumes.filter((volume) => volume.startsWith("./")).map((volume) => this.#toMount(volume)))
      .withTmpFs(Object.fromEntries((definition.tmpfs ?? []).map((path) => [path, "rw"])))
      .withDroppedCapabilities(...(definition.cap_drop ?? []))
      .withSecurityOpt(...(definition.security_opt ?? []))
      .withEnvironment(
        Object.fromEntries(Object.entries(environment ?? {}).map(([key, value]) => [key, String(value ?? "")])),
      )
      .withExposedPorts(...ports.map((port) => Number(port.split(":").at(-1))));
    if (definition.read_only === true) container.withReadOnlyRoot();
    if (user !== undefined) container.withUser(user);
    if (entrypoint !== undefined) container.withEntrypoint(entrypoint.map(unescape));
    if (command !== undefined) container.withCommand(command.map(unescape));
    if (healthcheck !== undefined) container.withHealthCheck(toHealthCheck(healthcheck));
    return container;
  }

  #toMount(volume: string) {
    const [path = "", target = "", mode = "rw"] = volume.split(":");
    return { source: join(this.#folder, path), target, mode: mode === "ro" ? ("ro" as const) : ("rw" as const) };
  }
}

function toHealthCheck(given: NonNullable<Definition["healthcheck"]>) {
  const { test, interval, timeout = "3s", retries = 30, start_period: startPeriod = "0s" } = given;
  const [kind, ...words] = test;
  const checked: ["CMD", ...string[]] | ["CMD-SHELL", string] =
    kind === "CMD" ? ["CMD", ...words] : ["CMD-SHELL", words.join(" ")];
  return {
    test: checked,
    interval: toMs(interval),
    timeout: toMs(timeout),
    retries,
    startPeriod: toMs(startPeriod),
  };
}

function toMs(span: string): number {
  return Number.parseInt(span, 10) * secondMs;
}

/** `$$`, a dollar for the container's shell. */
function unescape(word: string): string {
  return word.replaceAll("$$", "$");
}

/** `${NAME:-default}` and `${NAME:?message}`, as Compose reads them. */
function interpolate(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(/(?<!\$)\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, name: string, kind?: string, rest = "") => {
    const value = env[name];
    if (value !== undefined && value !== "") return value;
    if (kind === "?") throw new Error(`${name}: ${rest}`);
    return rest;
  });
}
