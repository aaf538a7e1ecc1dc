import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { hasCode } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json";
import { compileSchema } from "@gatehouse/json-schema";
import { logLevels } from "@gatehouse/service";
import { serviceNames } from "@gatehouse/trust";
import type { IHorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { renderChart } from "./helm-template.ts";

const root = join(import.meta.dirname, "../../..");
const chart = join(root, "deploy/kubernetes/chart");

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
}

const toDocuments = (text: string): readonly Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
const keyOf = ({ kind, metadata }: Manifest) => `${kind}/${metadata.name}`;
const sorted = (manifests: readonly Manifest[]) =>
  manifests.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)));
const rendered = toDocuments(renderChart(chart));

/** Output of a Kubernetes program; undefined, with a warning, where it is not installed. */
function runIfThere(program: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(program, args, { encoding: "utf8" });
  } catch (err) {
    if (!hasCode(err, "ENOENT")) throw err;
    process.stderr.write(`\n!!! No ${program}: the chart is NOT compared with its rendering.\n\n`);
    return undefined;
  }
}

const kustomized = runIfThere("kubectl", ["kustomize", join(chart, "manifests")]);
test.skipIf(kustomized === undefined)("the chart renders the same as kustomize", () => {
  expect(sorted(rendered)).toEqual(sorted(toDocuments(kustomized ?? "")));
});

const helm = process.env["HELM_PATH"] ?? "helm";
const ofHelm = runIfThere(helm, ["template", "gatehouse", chart]);
describe.skipIf(ofHelm === undefined)("Helm itself", () => {
  test("accepts the chart, and renders the same as the tests' renderer", () => {
    expect(execFileSync(helm, ["lint", "--strict", chart], { encoding: "utf8" })).toContain("0 chart(s) failed");
    expect(sorted(toDocuments(ofHelm ?? ""))).toEqual(sorted(rendered));
    const set = ["--set", "image.registry=r.example/g,image.tag=1.2.3-rc,nats.url=tls://n:4222,logLevel=warn"];
    const changed = execFileSync(helm, ["template", "gatehouse", chart, ...set], { encoding: "utf8" });
    const image = { registry: "r.example/g", tag: "1.2.3-rc" };
    const values = { image, nats: { url: "tls://n:4222" }, logLevel: "warn" };
    expect(sorted(toDocuments(changed))).toEqual(sorted(toDocuments(renderChart(chart, values))));
  });

  test("refuses a value that the chart does not know", () => {
    const run = () => execFileSync(helm, ["template", "gatehouse", chart, "--set", "replicas=3"], { stdio: "pipe" });
    expect(run).toThrow("additional properties 'replicas' not allowed");
  });
});

test("values change the images, the broker's address and the log level, and nothing else", () => {
  const values = { image: { registry: "r.example/g", tag: "1.2.3" }, nats: { url: "tls://n:4222" }, logLevel: "warn" };
  const changed = toDocuments(renderChart(chart, values));
  const back = (text: string) =>
    text
      .replaceAll("r.example/g/", "gatehouse/")
      .replaceAll(":1.2.3", ":local")
      .replaceAll("tls://n:4222", "tls://nats:4222")
      .replaceAll('"LOG_LEVEL":"warn"', '"LOG_LEVEL":"info"');
  expect(JSON.stringify(changed)).not.toContain('"gatehouse/');
  expect(back(JSON.stringify(changed))).toBe(JSON.stringify(rendered));
});

const schema = JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8")) as JsonObject;
const values = parse(readFileSync(join(chart, "values.yaml"), "utf8")) as {
  readonly image: { readonly registry: string; readonly tag: string };
};
/** Checks values like Helm before a rendering. */
const faultsOf = (changes: object) => compileSchema(schema, "values").check({ ...values, ...changes }, 1_000_000);

test.each<[string, object]>([
  ["the chart's own", {}],
  [
    "a registry with a port and a path, and a digest's tag",
    { image: { registry: "r.example:5000/g", tag: "v1.2.3_a" } },
  ],
  ["three servers", { nats: { url: "tls://nats-0:4222,tls://nats-1:4222,tls://nats-2:4222" } }],
  ["servers after commas and blanks", { nats: { url: "tls://nats-0:4222, tls://nats-1:4222" } }],
  ["what a chart around it sets", { enabled: true, global: { region: "eu" } }],
  ...logLevels.map((logLevel): [string, object] => [logLevel, { logLevel }]),
])("Helm takes values: %s", (_, changes) => {
  expect(faultsOf(changes)).toEqual({ kind: "checked", violations: [] });
});

test.each<[string, object]>([
  ["a name that the chart does not know", { replicas: 3 }],
  ["one within another", { image: { ...values.image, pullPolicy: "Always" } }],
  ["a tag that YAML reads as a number", { image: { ...values.image, tag: 1.2 } }],
  ["a registry with a scheme", { image: { ...values.image, registry: "oci://r.example/g" } }],
  ["a registry that ends with a slash", { image: { ...values.image, registry: "r.example/g/" } }],
  ["a broker without a scheme", { nats: { url: "nats:4222" } }],
  ["a broker with a password in its address", { nats: { url: "tls://user:secret@nats:4222" } }],
  ["a log level that no service has", { logLevel: "verbose" }],
])("Helm refuses %s", (_, changes) => {
  expect(faultsOf(changes)).toMatchObject({ kind: "checked", violations: [{ text: expect.any(String) as string }] });
});

test(
  "every manifest has the form of its kind, without a field that the kind does not have",
  { timeout: 120_000 },
  async () => {
    expect(await problemsOf(rendered)).toBe("");
    const [first] = rendered;
    if (first === undefined) throw new Error("Nothing was rendered.");
    expect(await problemsOf([{ ...first, metadata: { ...first.metadata, misplaced: "" } } as Manifest])).toContain(
      "misplaced",
    );
  },
);

/** Errors of the manifests, type-checked as values of Kubernetes' types, which know every field. */
async function problemsOf(manifests: readonly Manifest[]): Promise<string> {
  // In the workspace, where the types are found.
  const place = join(import.meta.dirname, "../dist");
  mkdirSync(place, { recursive: true });
  const folder = mkdtempSync(join(place, "manifests-"));
  try {
    const lines = manifests.map(({ apiVersion, kind, ...rest }, at) => {
      const value = JSON.stringify({ apiVersion, kind, ...rest }, undefined, 1);
      return `import type { I${kind} as Kind${at} } from "kubernetes-models/${apiVersion}/${kind}";\nexport const m${at}: Kind${at} = ${value};`;
    });
    const file = join(folder, "manifests.ts");
    writeFileSync(file, lines.join("\n"));
    const options = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "es2024",
    ];
    await promisify(execFile)(join(root, "node_modules/.bin/tsc"), [...options, file], { cwd: folder });
    return "";
  } catch (err) {
    return err instanceof Error && "stdout" in err ? String(err.stdout) : String(err);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("only the router is reachable from outside; every other service accepts only calls of the product and monitoring", () => {
  const policies = rendered.filter(({ kind }) => kind === "NetworkPolicy") as unknown as readonly INetworkPolicy[];
  const open = policies.filter(({ spec }) => spec?.ingress?.some((rule) => rule.from === undefined));
  expect(open.map(({ spec }) => spec?.podSelector?.matchLabels?.["app.kubernetes.io/name"])).toEqual(["router"]);
  const ofAll = policies.find(
    ({ spec }) => Object.keys(spec?.podSelector?.matchLabels ?? {}).join() === "app.kubernetes.io/part-of",
  );
  expect(ofAll?.spec?.ingress).toHaveLength(1);
});

test("workloads that scale have a disruption budget, those with data on disk have a volume, and secrets are references", () => {
  const names = (kind: string) => rendered.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name);
  for (const name of names("HorizontalPodAutoscaler")) expect(names("PodDisruptionBudget")).toContain(name);
  const keepers = ["api-proxy", "chat", "control-plane", "logbook", "mcp-aggregator", "mcp-bridge", "router"];
  expect(names("StatefulSet").toSorted()).toEqual(keepers);
  expect([...names("StatefulSet"), ...names("Deployment")].toSorted()).toEqual([...serviceNames].toSorted());
  expect(names("Job")).toEqual(["gatehouse-migrate"]);
  expect(names("Secret")).toEqual([]);
  const text = readFileSync(join(chart, "manifests/migrate.yaml"), "utf8");
  expect(text).toContain("secretName: gatehouse-migration");
});

test("an upgrade keeps the number of replicas that an autoscaler has chosen", () => {
  const targets = rendered
    .filter(({ kind }) => kind === "HorizontalPodAutoscaler")
    .map((each) => (each as unknown as IHorizontalPodAutoscaler).spec?.scaleTargetRef.name ?? "");
  expect(targets.toSorted()).toEqual(["chat", "guardrail", "router"]);
  for (const each of rendered) {
    if (each.kind !== "StatefulSet" && each.kind !== "Deployment") continue;
    const { name } = each.metadata;
    const namesReplicas = "replicas" in (each.spec ?? {});
    expect({ name, namesReplicas }).toEqual({ name, namesReplicas: !targets.includes(name) });
  }
});
