import { fileURLToPath } from "node:url";
import { findNatsServer, startNatsServer, type TestNatsServer } from "@gatehouse/events/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callAtOnce } from "../src/at-once.ts";
import { ControlPlaneClient, type Json } from "../src/control-plane-client.ts";
import { type Product, startServices, startStandalone } from "../src/product.ts";
import { type Administrator, createAdministrators, signIn } from "../src/roles/administrators.ts";
import { casesOf, unknownCase } from "../src/roles/call-cases.ts";
import { isExpected } from "../src/roles/expected-access.ts";
import { page, toPage } from "../src/roles/roles-page.ts";
import { sampleArguments } from "../src/roles/sample-arguments.ts";
import { createSide, nothing, planted, type Side } from "../src/roles/side.ts";
import { replyJson, ScriptedUpstream } from "../src/scripted-upstream.ts";
import type { ListedTool } from "../src/tool-list/find-breaks.ts";

const env = { EGRESS_ALLOW: "127.0.0.0/8" };

interface AuditEntry {
  readonly id: number;
  readonly event: string;
  readonly actor: string;
}

const program = await findNatsServer();
let nats: TestNatsServer | undefined;

const ways: readonly (readonly [string, () => Promise<Product>])[] = [
  ["one process", async () => await startStandalone({ env })],
  [
    "services over NATS",
    async () => {
      nats = await startNatsServer(program ?? "");
      return await startServices({ env: { ...env, NATS_URL: nats.url } });
    },
  ],
];

describe.each(program === undefined ? ways.slice(0, 1) : ways)(
  "every operation, with every role, as %s",
  (_name, start) => {
    let product: Product;
    let control: ControlPlaneClient;
    let receiver: ScriptedUpstream;
    let own: Side;
    let foreign: Side;
    let administrators: readonly Administrator[];
    let tools: readonly ListedTool[];

    beforeAll(async () => {
      product = await start();
      control = new ControlPlaneClient(product);
      receiver = await ScriptedUpstream.start(replyJson(200, {}));
      await control.call("svc_create_provider", { name: "mock", kind: "mock" });
      await control.call("svc_create_credential", { provider: "mock", name: "c", api_key: `${planted}-api-key` });
      const { url } = receiver;
      own = await createSide({ product, control, label: "familiar", receiver: url });
      foreign = await createSide({ product, control, label: "foreign", receiver: url });
      const [first = ""] = own.projects;
      administrators = await createAdministrators(product, {
        gateway: undefined,
        projects: own.projects,
        "one project": [first],
      });
      tools = ((await control.request("tools/list")).result as { readonly tools: readonly ListedTool[] }).tools;
    });

    afterAll(async () => {
      await product.stop();
      await receiver.stop();
      await nats?.remove();
    });

    const isNamed = ({ projects }: Administrator) => projects !== undefined;
    const mayCall = (who: Administrator, { name }: ListedTool) =>
      isExpected(name, { role: who.role, isNamed: isNamed(who) });

    /** Selected pairs of administrator and operation. */
    const pairsOf = (isChosen: (who: Administrator, tool: ListedTool) => boolean) =>
      administrators.flatMap((who) => tools.filter((tool) => isChosen(who, tool)).map((tool) => ({ who, tool })));

    /** The side's resources in an administrator's projects. */
    function ownOf(who: Administrator): Side {
      return who.projects?.length === 1 ? { ...own, things: thingsOfFirst(own) } : own;
    }

    /** The whole configuration, without values that change by themselves. */
    async function readState(): Promise<string> {
      const reads = tools
        .filter(({ name }) => /^svc_(?:list|get)_/.test(name) && !/health|usage|system/.test(name))
        .flatMap((tool) => {
          const cases = [...casesOf(tool, own), ...casesOf(tool, foreign)].map(({ args }) => args);
          return (cases.length === 0 ? [sampleArguments(tool)] : cases).map((args) => ({ name: tool.name, args }));
        });
      const answers = await callAtOnce(reads, async ({ name, args }) => {
        const { result, error } = await control.request("tools/call", { name, arguments: args });
        return [name, args, (result as Json | undefined)?.["structuredContent"] ?? error];
      });
      return JSON.stringify(answers, (key, value: unknown) => (changesByItself.has(key) ? undefined : value), 1);
    }

    /** Waits until the audit log contains all earlier changes, and returns the administrators' entries since one. */
    async function readChangesSince(sinceId: number): Promise<readonly AuditEntry[]> {
      const name = `sentinel ${sinceId}`;
      const { uuid } = await control.call<{ uuid: string }>("svc_create_project", { name, project_type: "ai_gateway" });
      const read = async (args: Json) =>
        (await control.call<{ entries: AuditEntry[] }>("svc_query_audit_log", args)).entries;
      await expect.poll(async () => await read({ project: uuid }), { timeout: 10_000 }).toHaveLength(1);
      const names = new Set(administrators.map((who) => `admin_key:${who.name}`));
      return (await read({ limit: 200 })).filter(({ id, actor }) => id > sinceId && names.has(actor));
    }

    async function expectNoChange(attempts: () => Promise<void>): Promise<void> {
      const { entries } = await control.call<{ entries: AuditEntry[] }>("svc_query_audit_log", { limit: 1 });
      const sent = () => receiver.received.filter(({ path }) => !path.endsWith("-mcp")).length;
      const [state, requests] = [await readState(), sent()];
      await attempts();
      expect(await readState()).toBe(state);
      expect(sent()).toBe(requests);
      expect(await readChangesSince(entries[0]?.id ?? 0)).toEqual([]);
    }

    test("tools/list has the operations that the role may call, as in docs/roles.md", async () => {
      const shown = new Map<Administrator, readonly string[]>();
      for (const who of administrators) {
        const names = (await who.listTools()).map(({ name }) => name);
        const expected = tools.filter((tool) => mayCall(who, tool)).map(({ name }) => name);
        expect(names, who.name).toEqual(expected);
        shown.set(who, names);
      }
      await expect(toPage(shown)).toMatchFileSnapshot(fileURLToPath(page));
    });

    test("operations outside a role are refused before their arguments are read, and change nothing", async () => {
      const calls = pairsOf((who, tool) => !mayCall(who, tool)).flatMap(({ who, tool }) => {
        const cases = [...casesOf(tool, own), ...casesOf(tool, foreign)].map(({ args }) => args);
        const all = [...cases, sampleArguments(tool), {}, { no_such_argument: 1 }];
        return all.map((args) => ({ who, name: tool.name, args }));
      });
      expect(calls.length).toBeGreaterThan(500);
      await expectNoChange(async () => {
        await callAtOnce(calls, async ({ who, name, args }) => {
          const right = new RegExp(`^-32602 Not allowed: ${name} needs the role \\w+( for the whole gateway)?\\.$`);
          expect(await who.ask(name, args), who.name).toMatch(right);
        });
      });
    });

    test("objects of another project get the answers of missing ones, and stay unchanged", async () => {
      const calls = pairsOf((who, tool) => isNamed(who) && mayCall(who, tool)).flatMap(({ who, tool }) => {
        const [project = ""] = who.projects ?? [];
        return casesOf(tool, foreign).flatMap((theirs) => {
          const beside: readonly Json[] = theirs.argument === "project" ? [{}] : [{}, { project }];
          // Arguments are validated first, as for others: not every operation has a project, or one beside an endpoint.
          const refusal = (more: Json) => {
            if (Object.keys(more).length === 0) return /^-32602 .* not found: /;
            return Object.hasOwn(tool.inputSchema.properties ?? {}, "project")
              ? /^-32602 (?:.* not found: |Send either project or endpoint, not both)/
              : /^-32602 (?:Unknown argument: project|Projects of type \w+ cannot have )/;
          };
          return beside.map((more) => ({ who, name: tool.name, theirs, more, refusal: refusal(more) }));
        });
      });
      expect(calls.length).toBeGreaterThan(200);
      await expectNoChange(async () => {
        await callAtOnce(calls, async ({ who, name, theirs, more, refusal }) => {
          const unknown = unknownCase(theirs);
          const strange = await who.ask(name, { ...unknown.args, ...more });
          const seen = await who.ask(name, { ...theirs.args, ...more });
          const as = `${name} ${theirs.argument} ${who.name}`;
          expect(strange, as).toMatch(refusal);
          expect(seen, as).toBe(strange.replaceAll(String(unknown.value), String(theirs.value)));
        });
      });
    });

    test("objects of one's own project are found: only the invalid argument is refused", async () => {
      const calls = pairsOf(mayCall).flatMap(({ who, tool }) =>
        casesOf(tool, ownOf(who)).map(({ args }) => ({ who, name: tool.name, args })),
      );
      expect(calls.length).toBeGreaterThan(300);
      await expectNoChange(async () => {
        await callAtOnce(calls, async ({ who, name, args }) => {
          const answer = await who.ask(name, { ...args, no_such_argument: 1 });
          expect(answer, `${name} ${who.name}`).toMatch(/^-32602 /);
          expect(answer, `${name} ${who.name}`).not.toMatch(/Not allowed|not found/);
        });
      });
    });

    test("answers of reading operations have no object of another project, and no secret", async () => {
      for (const { projects } of [own, foreign]) {
        const logged = { project: projects[0] };
        const entries = async () => (await control.call<{ entries: [] }>("svc_query_gateway_log", logged)).entries;
        await expect.poll(entries, { timeout: 15_000 }).not.toEqual([]);
      }
      const secrets = [planted, ...own.secrets, ...foreign.secrets, ...administrators.map(({ key }) => key)];
      const theirs = [foreign.label, ...foreign.projects, String(foreign.things.endpoint[0])];
      const calls = pairsOf((who, tool) => isRead(tool) && mayCall(who, tool)).flatMap(({ who, tool }) => {
        const cases = casesOf(tool, ownOf(who)).map(({ args }) => args);
        return [...cases, sampleArguments(tool)].map((args) => ({ who, name: tool.name, args }));
      });
      expect(calls.length).toBeGreaterThan(200);
      await callAtOnce(calls, async ({ who, name, args }) => {
        const answer = await who.ask(name, args);
        const as = `${name} ${JSON.stringify(args)} ${who.name}`;
        const shown = secrets.filter((secret) => answer.includes(secret));
        expect(shown, as).toEqual([]);
        const strange = isNamed(who) ? theirs.filter((text) => answer.includes(text)) : [];
        expect(strange, as).toEqual([]);
      });
    });

    test("the gateway log without a project covers the only project, or is refused", async () => {
      for (const who of administrators.filter(isNamed)) {
        const answer = await who.ask("svc_query_gateway_log", {});
        if (who.projects?.length === 1)
          expect(JSON.parse(answer)).toMatchObject({ entries: [{ project: own.projects[0] }] });
        else expect(answer).toMatch(/^-32602 Missing required argument: project/);
      }
    });

    test("a filter by another project's objects gives the answer of a filter by missing ones", async () => {
      const [project = ""] = own.projects;
      const now = Date.now();
      const hour = { since: new Date(now - 3_600_000).toISOString(), until: new Date(now).toISOString(), bucket: "1h" };
      for (const who of administrators.filter(isNamed)) {
        for (const [name, filter] of [
          ["svc_query_gateway_log", (endpoint: unknown, token: unknown) => ({ project, endpoint, token_id: token })],
          ["svc_query_metrics", (endpoint: unknown, token: unknown) => ({ ...hour, project, filters: { endpoint, token_id: token } })], // prettier-ignore
        ] as const) {
          const { endpoint, token_id: token } = foreign.things;
          expect(await who.ask(name, filter(endpoint[0], token[0]))).toBe(
            await who.ask(name, filter(nothing.uuid, nothing.id)),
          );
        }
      }
    });

    test("an endpoint cannot use another project's OAuth connection", async () => {
      const [, , project = ""] = own.projects;
      const [connection = 0] = foreign.things.connection_id;
      const made = { project, slug: "taken", upstream_url: receiver.url, allowed_methods: ["GET"] };
      const changed = { endpoint: own.things.endpoint[1] };
      await expectNoChange(async () => {
        for (const who of administrators.filter(({ role, projects }) => role !== "viewer" && projects?.length !== 1)) {
          for (const [name, args] of [
            ["svc_create_endpoint", made],
            ["svc_update_endpoint", changed],
          ] as const) {
            const ask = async (id: unknown) =>
              await who.ask(name, { ...args, auth: { type: "oauth", connection_id: id } });
            expect(await ask(connection)).toBe(`-32602 OAuth connection not found: ${connection}`);
            expect(await ask(nothing.id)).toBe(`-32602 OAuth connection not found: ${nothing.id}`);
          }
        }
      });
    });

    test("a console session is visible to its own key and to the gateway's owners", async () => {
      const sessions = new Map<Administrator, number>();
      for (const who of administrators) sessions.set(who, await signIn(product, who));
      for (const who of administrators.filter(({ role, projects }) => role !== "owner" || projects !== undefined)) {
        const listed = await who.ask("svc_list_console_sessions", {});
        expect(JSON.parse(listed)).toMatchObject({
          console_sessions: [{ id: sessions.get(who), admin_key_id: who.keyId }],
        });
        for (const [other, id] of sessions) {
          if (other === who) continue;
          expect(await who.ask("svc_end_console_session", { session_id: id })).toBe(
            `-32602 Console session not found: ${id}`,
          );
          expect(await who.ask("svc_end_console_session", { admin_key_id: other.keyId })).toBe(
            `-32602 Admin key not found: ${other.keyId}`,
          );
        }
      }
      const { console_sessions: still } = await control.call<{ console_sessions: [] }>("svc_list_console_sessions");
      expect(still).toHaveLength(administrators.length);
    });
  },
);

const changesByItself = new Set(["last_used_at", "state", "status", "last_error"]);

function isRead({ name }: ListedTool): boolean {
  return /^svc_(?:list|get|query|verify|test_guardrails)/.test(name);
}

/** Resources of the first project, an ai_gateway. */
function thingsOfFirst({ things }: Side): Side["things"] {
  return {
    ...things,
    project: things.project.slice(0, 1),
    endpoint: things.endpoint.slice(0, 1),
    upstream_id: [],
    connection_id: [],
  };
}
