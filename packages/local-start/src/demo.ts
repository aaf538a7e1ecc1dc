import type { Secret } from "@gatehouse/vault";
import { progress } from "./greeting.ts";
import { markOnce } from "./home.ts";
import { findOllamaModel } from "./ollama.ts";

/** Keys in the environment; the first start creates an endpoint for each. */
export interface ProviderKeys {
  readonly openai: Secret | undefined;
  readonly anthropic: Secret | undefined;
}

/** Objects created by the first start, for trying the gateway. */
export interface Demo {
  readonly projectUuid: string;
  readonly token: string;
  /** The first uses the mock provider. */
  readonly slugs: readonly string[];
}

interface DemoTarget {
  readonly slug: string;
  readonly provider: { readonly name: string; readonly kind: string; readonly base_url?: string };
  readonly model: string;
  readonly apiKey?: Secret;
}

/** Surroundings of the demo project, which only the first start creates. */
export interface FirstDemo {
  /** The data folder, which records that the demo was created. */
  readonly home: string;
  readonly isWanted: boolean;
  readonly adminKey: Secret | undefined;
  readonly providerKeys: ProviderKeys;
}

/** Creates the demo on the first start with an administrator's key; later starts leave it alone. */
export async function createFirstDemo(url: string, first: FirstDemo): Promise<Demo | undefined> {
  const { home, isWanted, adminKey, providerKeys } = first;
  if (!isWanted || adminKey === undefined || !(await markOnce(home, "demo-made"))) return undefined;
  try {
    return await createDemo(url, adminKey, providerKeys);
  } catch (err) {
    progress(`The demo project could not be created: ${err instanceof Error ? err.message : "unknown"}`);
    return undefined;
  }
}

/** Creates a project, a token and an endpoint for each available provider, through the Control Plane. */
async function createDemo(url: string, adminKey: Secret, keys: ProviderKeys): Promise<Demo> {
  const call = createOperationCaller(url, adminKey);
  const project = await call<{ uuid: string }>("svc_create_project", { name: "Demo", project_type: "ai_gateway" });
  const targets = await findTargets(keys);
  for (const target of targets) await createTarget(call, project.uuid, target);
  const { token } = await call<{ token: string }>("svc_create_token", {
    project: project.uuid,
    name: "demo",
    scopes: ["chat", "mcp"],
  });
  return { projectUuid: project.uuid, token, slugs: targets.map(({ slug }) => slug) };
}

type CallOperation = <T>(name: string, args: Readonly<Record<string, unknown>>) => Promise<T>;

async function findTargets({ openai, anthropic }: ProviderKeys): Promise<DemoTarget[]> {
  const targets: DemoTarget[] = [{ slug: "demo", provider: { name: "mock", kind: "mock" }, model: "mock-1" }];
  if (openai !== undefined) {
    targets.push({ slug: "openai", provider: { name: "openai", kind: "openai" }, model: "gpt-5-mini", apiKey: openai });
  }
  if (anthropic !== undefined) {
    const provider = { name: "anthropic", kind: "anthropic" };
    targets.push({ slug: "anthropic", provider, model: "claude-sonnet-4-5", apiKey: anthropic });
  }
  const ollama = await findOllamaModel();
  if (ollama !== undefined) {
    const provider = { name: "ollama", kind: "openai-compatible", base_url: ollama.baseUrl };
    targets.push({ slug: "ollama", provider, model: ollama.model });
  }
  return targets;
}

async function createTarget(call: CallOperation, project: string, target: DemoTarget): Promise<void> {
  const { slug, provider, model, apiKey } = target;
  await call("svc_create_provider", provider);
  if (apiKey !== undefined) {
    await call("svc_create_credential", {
      provider: provider.name,
      name: "from the environment",
      api_key: apiKey.reveal(),
    });
  }
  const description = `Answers with ${model} of ${provider.name}.`;
  const targets = [{ provider: provider.name, model }];
  await call("svc_create_endpoint", {
    project,
    slug,
    targets,
    description,
    streaming_enabled: true,
    expose_as_mcp_tool: true,
  });
}

function createOperationCaller(url: string, adminKey: Secret): CallOperation {
  return async <T>(name: string, args: Readonly<Record<string, unknown>>) => {
    const reply = await fetch(`${url}/control/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey.reveal()}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
    });
    const { result, error } = (await reply.json()) as {
      result?: { structuredContent: T };
      error?: { message: string };
    };
    if (result === undefined) throw new Error(`${name} was refused: ${error?.message ?? `status ${reply.status}`}`);
    return result.structuredContent;
  };
}
