import { setTimeout as delay } from "node:timers/promises";
import { lapse } from "@gatehouse/async/testing";
import { nowhere } from "@gatehouse/ports/testing";
import { type ChatReply, send, type StreamedReply, sendStreaming, streamedText } from "../../src/chat-client.ts";
import { type ControlPlaneClient, type ProjectFixture, uniqueName } from "../../src/control-plane-client.ts";
import { type Product } from "../../src/product.ts";
import { ScriptedProvider } from "../../src/scripted-provider.ts";
import {
  type Bill,
  type Expectation,
  type Fault,
  type Mode,
  type Result,
  type Setup,
  timeoutMs,
} from "./fault-cases.ts";
import { type Usage, voices, whole } from "./fault-scripts.ts";

/** The routes of an AI Gateway project, and those of an AI Wrapper project. */
export const surfaces = ["chat", "wrapper"] as const;
export type Surface = (typeof surfaces)[number];

/** One fault, with one kind of call, with or without a backup. */
export interface FaultCase {
  readonly surface: Surface;
  readonly fault: Fault;
  readonly mode: Mode;
  readonly setup: Setup;
  readonly expected: Expectation;
}

export interface Observation {
  /** The client's result of each call; a description where it is not a known one. */
  readonly results: readonly string[];
  /** Time of each call up to the last byte, milliseconds. */
  readonly tookMs: readonly number[];
  readonly primaryAsked: number | undefined;
  /** The endpoint's uuid, for its bill. */
  readonly endpoint: string;
}

export interface FaultWorld {
  readonly product: Product;
  readonly control: ControlPlaneClient;
  readonly projects: Readonly<Record<Surface, ProjectFixture>>;
}

/** Creates the case's providers and endpoint, and calls. */
export async function runCase(world: FaultWorld, faultCase: FaultCase): Promise<Observation> {
  const { fault, surface, setup, expected } = faultCase;
  const [primary, backup] = await Promise.all([ScriptedProvider.start(), ScriptedProvider.start()]);
  const { script } = fault;
  let requests = 0;
  if (script !== "refuse") primary.play(async (request, res) => await script(requests++)(request, res));
  backup.play(whole(voices.backup));
  const targets = [await addProvider(world, script === "refuse" ? `${nowhere}/v1` : primary.baseUrl)];
  if (setup === "with a backup") targets.push(await addProvider(world, backup.baseUrl));
  const slug = uniqueName("fault");
  const { uuid } = await world.control.call<{ uuid: string }>("svc_create_endpoint", {
    project: world.projects[surface].project,
    slug,
    targets,
    streaming_enabled: true,
    timeout_ms: timeoutMs,
  });
  const calls: TimedResult[] = [];
  for (const _ of expected.results) calls.push(await timed(async () => await callOnce(world, slug, faultCase)));
  await Promise.all([primary.stop(), backup.stop()]);
  return {
    results: calls.map(({ result }) => result),
    tookMs: calls.map(({ tookMs }) => tookMs),
    primaryAsked: script === "refuse" ? undefined : requests,
    endpoint: uuid,
  };
}

async function addProvider({ control }: FaultWorld, baseUrl: string): Promise<object> {
  const provider = uniqueName("faulty");
  await control.call("svc_create_provider", { name: provider, kind: "openai-compatible", base_url: baseUrl });
  return { provider, model: "m" };
}

interface TimedResult {
  readonly result: string;
  readonly tookMs: number;
}

async function timed(call: () => Promise<string>): Promise<TimedResult> {
  const begunAt = performance.now();
  const result = await call();
  return { result, tookMs: performance.now() - begunAt };
}

async function callOnce(
  { product, projects }: FaultWorld,
  slug: string,
  { surface, mode }: FaultCase,
): Promise<string> {
  const { project, token } = projects[surface];
  const stream = mode === "stream";
  const message = "Say all of it.";
  const wrapped = {
    model: slug,
    messages: [{ role: "user", content: message }],
    stream_options: { include_usage: true },
  };
  const path = surface === "chat" ? `/api/${project}/${slug}` : `/api/${project}/v1/chat/completions`;
  const body = { stream, ...(surface === "chat" ? { message } : wrapped) };
  if (stream) return judgeStream(await sendStreaming(product, path, { token, body }));
  const reply = await send(product, path, { token, body });
  if (reply.status !== 200) return judgeRefusal(reply.status, reply.body);
  return judgeText(surface === "chat" ? String(reply.body["content"]) : wrappedText(reply.body), reply.body["usage"]);
}

function wrappedText({ choices }: ChatReply["body"]): string {
  const [choice] = choices as readonly { readonly message: { readonly content: string } }[];
  return choice?.message.content ?? "";
}

function judgeStream(reply: StreamedReply): string {
  if (reply.status !== 200) return judgeRefusal(reply.status, reply.refusal ?? {});
  const last = reply.events.at(-1);
  const before = reply.events.at(-2);
  if (last === "[DONE]" && before !== undefined && before !== "[DONE]") {
    return judgeText(streamedText(reply), before["usage"]);
  }
  const error = last === undefined || last === "[DONE]" ? undefined : last["error"];
  if (error === undefined) return "the stream just ends";
  if (reply.events.includes("[DONE]")) return "[DONE] before an error";
  const text = streamedText(reply);
  return voices.primary.words.join("").startsWith(text) ? ("error event" satisfies Result) : `broken text ${text}`;
}

/** Checks that a text presented as complete is complete, with its provider's usage. */
function judgeText(text: string, usage: unknown): string {
  for (const [name, voice] of Object.entries(voices)) {
    if (text !== voice.words.join("")) continue;
    const isRight = JSON.stringify(usage) === JSON.stringify(voice.usage);
    return isRight ? `${name} answers` : `${name} answers with usage ${JSON.stringify(usage)}`;
  }
  return `presented as complete: ${JSON.stringify(text)}`;
}

function judgeRefusal(status: number, body: Readonly<Record<string, unknown>>): string {
  const isRight = body["ok"] === false && /^Provider call failed: ./.test(String(body["error"]));
  return isRight ? String(status) : `${status} with ${JSON.stringify(body)}`;
}

interface UsageRow {
  readonly endpoint: string;
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** Longest wait for usage rows, milliseconds. */
const writtenWithinMs = 5_000;
/** Longest wait for a surplus row, milliseconds. */
const settledAfterMs = 750;

/** Usage of each endpoint, once all requests to bill are present and no more arrive. */
export async function readUsage(
  world: FaultWorld,
  endpoints: readonly string[],
  requests: number,
): Promise<ReadonlyMap<string, UsageRow>> {
  const until = performance.now() + writtenWithinMs;
  for (;;) {
    const usage = await readRows(world, endpoints);
    const counted = [...usage.values()].reduce((sum, row) => sum + row.requests, 0);
    if (counted >= requests || performance.now() > until) break;
    await delay(50);
  }
  await lapse(settledAfterMs, "a row too many would be written by then");
  return await readRows(world, endpoints);
}

async function readRows({ control }: FaultWorld, of: readonly string[]): Promise<Map<string, UsageRow>> {
  const { endpoints } = await control.call<{ endpoints: UsageRow[] }>("svc_get_usage");
  return new Map(endpoints.filter(({ endpoint }) => of.includes(endpoint)).map((row) => [row.endpoint, row]));
}

/** Fault of a case's bill; undefined: none. */
export function judgeBill(bills: readonly Bill[], row: UsageRow | undefined): string | undefined {
  const billed = bills.filter((bill) => bill !== "nothing");
  if ((row?.requests ?? 0) !== billed.length) return `${row?.requests ?? 0} requests billed`;
  if (row === undefined) return undefined;
  if (billed.includes("estimate")) {
    return row.prompt_tokens > 0 && row.completion_tokens > 0 ? undefined : "nothing estimated";
  }
  if (billed.includes("prompt")) {
    return row.prompt_tokens > 0 && row.completion_tokens === 0 ? undefined : "more or less than the prompt billed";
  }
  const due = (field: keyof Usage) => {
    return billed.reduce(
      (sum, bill) => sum + (bill === "primary" || bill === "backup" ? voices[bill].usage[field] : 0),
      0,
    );
  };
  const isRight = row.prompt_tokens === due("prompt_tokens") && row.completion_tokens === due("completion_tokens");
  return isRight ? undefined : `${row.prompt_tokens} and ${row.completion_tokens} tokens billed`;
}
