import { execFileSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@gatehouse/errors";
import { brokerPermissionsOf } from "@gatehouse/events";
import {
  defaultPorts,
  isServiceName,
  operationOwners,
  type ServiceName,
  serviceNames,
  settingPrefix,
} from "@gatehouse/trust";
import { expect, test } from "vitest";
import { parseAllDocuments, parse } from "yaml";

/** Compares the ways to deploy with the services' settings, ports and addresses. */

const root = join(import.meta.dirname, "../../..");
const manifests = join(root, "deploy/kubernetes/chart/manifests");

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly readinessProbe?: { readonly httpGet: { readonly path: string; readonly port: string } };
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly template: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string }[];
        readonly securityContext: { readonly runAsNonRoot: boolean };
      };
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly clusterIP?: string;
    readonly ports?: readonly { readonly port: number; readonly targetPort: string }[];
  };
}

const files = readdirSync(manifests).filter((name) => name !== "kustomization.yaml");
const all = files.flatMap((name) =>
  parseAllDocuments(readFileSync(join(manifests, name), "utf8")).map((document) => document.toJS() as Manifest),
);
const find = (kind: string, name: string) => all.find((each) => each.kind === kind && each.metadata.name === name);
const workload = (name: string) => find("StatefulSet", name) ?? find("Deployment", name);

/** Texts of all files that read a service's settings by name. */
const readers = globSync("{packages,services}/*/src/**/*.ts", { cwd: root })
  .filter((path) => !path.endsWith(".test.ts"))
  .map((path) => readFileSync(join(root, path), "utf8"))
  .filter((text) => text.includes("EnvReader"));
/** Read by the OpenTelemetry SDK itself. */
const readBySdk: readonly string[] = ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_RESOURCE_ATTRIBUTES"];
/** The Control Plane derives the names of its peers' settings: those of the owners of operations, and of services that it names. */
const isPeerOf = (text: string, service: ServiceName | undefined) =>
  service !== undefined &&
  text.includes("settingPrefix(") &&
  (text.includes(`"${service}"`) ||
    (text.includes("operationOwners") && operationOwners.some((owner) => owner === service)));
const isRead = (name: string) => {
  if (readBySdk.includes(name)) return true;
  const bare = name.replace(/_FILE$/, "");
  const stem = bare.replace(/_RPC_ADDRESS$/, "");
  const service = serviceNames.find((each) => settingPrefix(each) === stem);
  return readers.some(
    (text) => [name, bare, stem].some((each) => text.includes(`"${each}"`)) || isPeerOf(text, service),
  );
};

test("kustomize renders every manifest", () => {
  const listed = (parse(readFileSync(join(manifests, "kustomization.yaml"), "utf8")) as { resources: string[] })
    .resources;
  expect(listed.toSorted()).toEqual(files.toSorted());
  let rendered: string;
  try {
    rendered = execFileSync("kubectl", ["kustomize", manifests], { encoding: "utf8" });
  } catch (err) {
    if (!hasCode(err, "ENOENT")) throw err;
    process.stderr.write("\n!!! No kubectl: the manifests are parsed and not rendered.\n\n");
    return;
  }
  expect(parseAllDocuments(rendered)).toHaveLength(all.length);
});

test.each(serviceNames)("%s has a workload and a service whose ports and probes fit each other", (name) => {
  const spec = workload(name)?.spec;
  const pod = spec?.template.spec;
  const [container] = pod?.containers ?? [];
  const ports = container?.ports ?? [];
  expect(container).toMatchObject({
    image: `gatehouse/${name}:local`,
    securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    readinessProbe: { httpGet: { path: "/readyz" } },
  });
  expect(pod?.securityContext.runAsNonRoot).toBe(true);
  const portNames = ports.map((port) => port.name);
  expect(portNames).toContain(container?.readinessProbe?.httpGet.port);
  for (const { targetPort, port } of find("Service", name)?.spec.ports ?? [])
    expect(ports).toContainEqual({ name: targetPort, containerPort: port });
  const volumes = [...(pod?.volumes ?? []), ...(spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)];
  for (const mount of container?.volumeMounts ?? []) expect(volumes.map((volume) => volume.name)).toContain(mount.name);
  // Callers balance by themselves; clients of the router do not.
  expect(find("Service", name)?.spec.clusterIP).toBe(name === "router" ? undefined : "None");
});

/** The router has no gRPC, and a separate port for monitoring. */
const operationsPort = 9464;

test.each(serviceNames)(
  "%s has the ports that it listens on by default, and monitoring asks at the right one",
  (name) => {
    const { http, rpc } = defaultPorts(name);
    const template = workload(name)?.spec.template;
    const ports = template?.spec.containers[0]?.ports?.map(({ containerPort }) => containerPort);
    const isRouter = name === "router";
    expect(ports?.toSorted()).toEqual(isRouter ? [http, operationsPort] : [http, rpc]);
    const asked = isRouter ? operationsPort : http;
    expect(template?.metadata?.annotations?.["prometheus.io/port"]).toBe(String(asked));
    const { scrape_configs: jobs } = parse(readFileSync(join(root, "deploy/observability/prometheus.yml"), "utf8")) as {
      readonly scrape_configs: readonly { readonly static_configs: readonly object[] }[];
    };
    expect(jobs.flatMap((job) => job.static_configs)).toContainEqual(
      expect.objectContaining({
        targets: [`${name}:${asked}`],
        labels: expect.objectContaining({ app: name }) as object,
      }),
    );
  },
);

test("every variable that is set anywhere is read by a service, and every address is a service's", () => {
  const settings = find("ConfigMap", "gatehouse-settings")?.data ?? {};
  // Without these, no service of the cluster starts.
  for (const file of ["CERTIFICATE", "KEY", "CA"]) expect(settings).toHaveProperty(`GATEHOUSE_TLS_${file}_FILE`);
  const given = all.flatMap(({ spec }) => spec?.template?.spec.containers[0]?.env ?? []).map(({ name }) => name);
  for (const name of [...Object.keys(settings), ...given]) expect(isRead(name), name).toBe(true);
  for (const [name, value] of Object.entries(settings)) {
    if (!/_(RPC_ADDRESS|URL)$/.test(name) || name === "NATS_URL") continue;
    const [, host = "", port] = /^(?:https:\/\/)?([\w-]+):(\d+)$/.exec(value) ?? [];
    expect(isServiceName(host), value).toBe(true);
    expect(
      find("Service", host)?.spec.ports?.map((each) => String(each.port)),
      value,
    ).toContain(port);
  }
});

const textsOf = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .filter((path) => !path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(root, path), "utf8"));
const streamsIn = (text: string) => [...text.matchAll(/\bstream: "(\w+)"/g)].map(([, stream = ""]) => stream);
/** Functions of packages that create a consumer, with its stream: services that call them consume it. */
const makers = new Map(
  textsOf("packages/*/src/**/*.ts").flatMap((text) => {
    const [, maker] = /export function (\w+)\([^{]*\): Consumer \{/.exec(text) ?? [];
    return maker === undefined ? [] : streamsIn(text).map((stream) => [maker, stream] as const);
  }),
);

test.each(serviceNames)(
  "the broker permits %s to receive messages of every stream that it consumes, and of no other",
  (name) => {
    const own = textsOf(`services/${name}/src/**/*.ts`);
    const called = [...makers].flatMap(([maker, stream]) =>
      own.some((text) => text.includes(`${maker}(`)) ? [stream] : [],
    );
    const consumed = [...own.flatMap(streamsIn), ...called];
    const taking = brokerPermissionsOf(name).publish.filter((subject) => subject.includes(".CONSUMER.MSG.NEXT."));
    const subjects = consumed.map((stream) => `$JS.API.CONSUMER.MSG.NEXT.${stream.toUpperCase()}.${name}`);
    expect(taking.toSorted()).toEqual(subjects.toSorted());
  },
);

test("docker-compose.yml runs every service with its own keys, read-only and with a health check", () => {
  const { services } = parse(readFileSync(join(root, "docker-compose.yml"), "utf8"), { merge: true }) as {
    services: Record<string, Record<string, unknown> & { environment?: Record<string, string>; volumes?: string[] }>;
  };
  for (const name of serviceNames) {
    const service = services[name];
    expect(service, name).toMatchObject({
      restart: "unless-stopped",
      read_only: true,
      cap_drop: ["ALL"],
      user: "1000:1000",
    });
    expect(service?.["healthcheck"], name).toBeDefined();
    expect(service?.volumes, name).toContain(`./keys/${name}:/run/gatehouse/own:ro`);
    for (const variable of Object.keys(service?.environment ?? {})) expect(isRead(variable), variable).toBe(true);
  }
  const dockerfile = readFileSync(join(root, "deploy/docker/Dockerfile"), "utf8");
  for (const name of [...serviceNames, "tools"]) expect(dockerfile).toContain(`FROM runtime AS ${name}\n`);
});
