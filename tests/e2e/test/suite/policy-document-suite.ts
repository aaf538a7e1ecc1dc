import { beforeEach, expect, test } from "vitest";
import { type ControlPlaneClient, createProject, type Json } from "../../src/control-plane-client.ts";
import { type SettingSchema, variationsOf } from "../../src/policy-variations.ts";

/** A policy that leaves out every setting of its checks that it may. */
const sparse: Json = {
  pii: { mode: "block" },
  secrets: { mode: "block" },
  prompt_injection: { mode: "block" },
  patterns: [{ pattern: "A" }, { path: "$.b" }],
  rules: [
    { name: "r", when: {}, keywords: ["a"] },
    { name: "s", when: { sides: ["output"] }, pii: { mode: "mask" } },
  ],
  shadow: { keywords: ["b"] },
  external: [
    { name: "h", kind: "http", url: "http://127.0.0.1:1/" },
    { name: "p", kind: "presidio", url: "http://127.0.0.1:1/" },
  ],
};

/** Variations that a project of one type refuses: few, since each is a setting that is not compared. */
const refusedMax = 14;

/** Timeout of a test that saves, reads and compares many variations. */
export const hundredsOfCallsMs = 180_000;

/** Documents leave settings of policies out: the Control Plane fills them in as the owner of policies does. */
export function describePolicyDocuments(control: () => ControlPlaneClient): void {
  let project: string;
  let name: string;
  // For each test, since others of a file may delete all projects.
  beforeEach(async () => {
    ({ project } = await createProject(control()));
    ({ name } = await control().call<{ name: string }>("svc_get_project", { project }));
  });

  /** Whether a policy was accepted, and then what its owner shows. */
  async function shownAfter(policy: Json): Promise<Json | undefined> {
    const set = { name: "svc_set_guardrails", arguments: { project, ...policy } };
    if ((await control().request("tools/call", set)).error !== undefined) return undefined;
    const { updated_at: _at, own: _own, ...shown } = await control().call("svc_get_guardrails", { project });
    return shown;
  }

  async function isChange(policy: Json): Promise<boolean> {
    const wanted = { name, project_type: "ai_gateway", guardrails: policy };
    const plan = { document: { version: 1, projects: [wanted] }, dry_run: true };
    const { changes } = await control().call<{ changes: readonly Json[] }>("svc_apply_config", plan);
    return changes.length > 0;
  }

  test.each<[string, Json]>([
    ["no setting", {}],
    ["as few settings as it may", sparse],
  ])(
    "a policy with %s changes another one just where its owner shows another",
    async (_name, given) => {
      const { tools } = (await control().request("tools/list")).result as { tools: readonly Json[] };
      const { inputSchema } = tools.find((tool) => tool["name"] === "svc_set_guardrails") ?? {};
      const { properties: all = {} } = inputSchema as SettingSchema;
      const { project: _project, endpoint: _endpoint, clear: _clear, ...properties } = all;
      const shownGiven = await shownAfter(given);
      expect(await isChange(given)).toBe(false);
      const refused: unknown[] = [];
      const wrong: unknown[] = [];
      for (const variation of variationsOf({ properties }, given) as readonly Json[]) {
        const shown = await shownAfter(variation);
        if (shown === undefined) refused.push(variation);
        else {
          const isOther = JSON.stringify(shown) !== JSON.stringify(shownGiven);
          if ((await isChange(given)) !== isOther) wrong.push({ variation, isOther });
        }
      }
      expect(wrong).toEqual([]);
      expect(refused.length).toBeLessThanOrEqual(refusedMax);
    },
    hundredsOfCallsMs,
  );
}
