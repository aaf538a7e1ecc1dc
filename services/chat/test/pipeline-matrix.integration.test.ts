import { readFile } from "node:fs/promises";
import { GatewayError, isGatewayError, toRestErrorBody } from "@gatehouse/errors";
import { toPrincipalMessage } from "@gatehouse/principal";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Surface } from "../src/app/call.ts";
import type { ListedStep } from "../src/app/pipeline.ts";
import { startWrapper, type WrapperHarness, type WrapperReply } from "./wrapper-harness.ts";

/** Sends a call to a surface. */
type Send = (slug: string) => Promise<Pick<WrapperReply, "status" | "text">>;

const message = "Hello";
const messages = [{ role: "user", content: message }];

/** Every surface of the pipeline; a missing one does not compile. */
const surfaces: Readonly<Record<Surface, Send>> = {
  "chat.direct": async (slug) => await harness.postTo(slug, { message }),
  "chat.dispatcher": async (slug) => await harness.postTo("chat/completions", { endpoint: slug, message }),
  "wrapper.chat": async (slug) => await harness.post("chat/completions", { model: slug, messages }),
  "wrapper.completions": async (slug) => await harness.post("completions", { model: slug, prompt: message }),
  "wrapper.embeddings": async (slug) => await harness.post("embeddings", { model: slug, input: message }),
  "mcp.bridge": async (slug) => await complete(slug),
};
const streams: readonly (readonly [string, Send])[] = [
  ["chat.direct", async (slug) => await harness.postTo(slug, { message, stream: true })],
  ["wrapper.chat", async (slug) => await harness.post("chat/completions", { model: slug, messages, stream: true })],
  [
    "wrapper.completions",
    async (slug) => await harness.post("completions", { model: slug, prompt: "x", stream: true }),
  ],
];
const surfaceNames = Object.keys(surfaces) as Surface[];

/** Steps entered and left in this test, and the step that is to refuse. */
const entered: string[] = [];
const left: string[] = [];
const seen = new Set<Surface>();
let refusing: string | undefined;

/** Wraps a step to record its runs, and to refuse on demand. */
function watch(step: ListedStep): ListedStep {
  names.push(step.name);
  return {
    name: step.name,
    async enter(call) {
      entered.push(step.name);
      seen.add(call.surface);
      const verdict = await step.enter(call);
      if (step.name !== refusing) return verdict;
      return new GatewayError("invalid_argument", `Refused by ${step.name}.`);
    },
    async leave(call, outcome) {
      left.push(step.name);
      await step.leave?.(call, outcome);
    },
  };
}

/** Names of the steps, in the order of the composition root. */
const names: string[] = [];
/** Proven steps by surface. */
const proven = new Map<Surface, Set<string>>(surfaceNames.map((name) => [name, new Set()]));

let harness: WrapperHarness;
let slug: string;
beforeAll(async () => {
  harness = await startWrapper({ wrapStep: watch });
  slug = await harness.alias({ provider: await harness.provider("mock"), expose_as_mcp_tool: true });
});
afterAll(async () => await harness.stop());
beforeEach(() => {
  entered.length = 0;
  left.length = 0;
  seen.clear();
  refusing = undefined;
});

it("has every step of a call, in order", () => {
  const expected = ["body", "endpoint", "rate_limit", "budget", "token_cap", "guardrails", "input_schema", "prompt"];
  expect(names.filter((name) => expected.includes(name))).toEqual(expected);
  expect(names.slice(names.indexOf("prompt") + 1).filter((name) => name !== "log")).toEqual([
    "provider",
    // Run where the answer is known: they wait for the parallel guardrails, and restore masks.
    "beside_guardrails",
    "output_guardrails",
    "restore",
    "output_schema",
  ]);
});

describe.each(surfaceNames)("on %s", (surface) => {
  it("every step runs, in order, and is left in reverse order", async () => {
    expect((await surfaces[surface](slug)).status).toBe(200);
    expect([...seen]).toEqual([surface]);
    expect(entered).toEqual(names);
    expect(left).toEqual(names.toReversed());
  });

  it("a refusal of any step stops the rest, and only entered steps are left", async () => {
    expect(names.length).toBeGreaterThan(0);
    for (const [index, name] of names.entries()) {
      entered.length = 0;
      left.length = 0;
      refusing = name;
      const reply = await surfaces[surface](slug);
      const until = names.slice(0, index + 1);
      expect([reply.status, JSON.parse(reply.text)]).toEqual([
        400,
        expect.objectContaining({ ok: false, error: `Refused by ${name}.` }),
      ]);
      expect(entered).toEqual(until);
      expect(left).toEqual(until.toReversed());
      proven.get(surface)?.add(name);
    }
  });
});

it.each(streams)("every step runs, in order, for a stream on %s", async (_surface, send) => {
  expect((await send(slug)).text).toContain("data: [DONE]");
  expect(entered).toEqual(names);
  expect(left).toEqual(names.toReversed());
});

it("matches docs/pipeline.md", async () => {
  const rows = await Promise.all(names.map(async (name, index) => await toRow(name, index)));
  const page = `# The pipeline

Every model call passes these steps in this order, on every surface. Before that, the router checks authentication, scope, project type and method.

A step lets a call proceed or refuses it; a refusal skips the remaining steps. When the call ends, exactly the steps that it has entered are notified of the outcome, in reverse order.

| | step | purpose | ${surfaceNames.map((name) => `\`${name}\``).join(" | ")} |
|---|---|---|${surfaceNames.map(() => "---|").join("")}
${rows.join("\n")}

✓: proven to run in this place on this surface, and to stop the rest by a refusal. This page is written by \`services/chat/test/pipeline-matrix.integration.test.ts\`, which fails if the page differs from its findings. After a change: \`pnpm vitest run --project integration services/chat/test/pipeline-matrix --update\`.
`;
  await expect(page).toMatchFileSnapshot("../../../docs/pipeline.md");
});

/** A call over gRPC, with its refusal in the format of the chat routes. */
async function complete(slug: string): Promise<Pick<WrapperReply, "status" | "text">> {
  const principal = toPrincipalMessage(harness.principal);
  try {
    const reply = await harness.calls.complete({ principal, slug, bodyJson: JSON.stringify({ message }) });
    return { status: 200, text: reply.content };
  } catch (err) {
    if (!isGatewayError(err)) throw err;
    return { status: err.profile.http, text: JSON.stringify(toRestErrorBody(err)) };
  }
}

async function toRow(name: string, index: number): Promise<string> {
  const marks = surfaceNames.map((surface) => (proven.get(surface)?.has(name) === true ? "✓" : "–"));
  return `| ${index + 1} | \`${name}\` | ${await describeStep(name)} | ${marks.join(" | ")} |`;
}

/** The doc comment of the step's factory. */
async function describeStep(name: string): Promise<string> {
  const file = new URL(`../src/app/steps/${name.replaceAll("_", "-")}.ts`, import.meta.url);
  const source = await readFile(file, "utf8");
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport function create\w+Step\b/.exec(source)?.[1] ?? "";
  const text = comment.replaceAll(/\s*\n\s*\*\s*/g, " ").trim();
  if (text === "") throw new Error(`The step ${name} has no description.`);
  return text.replaceAll("|", "\\|");
}
