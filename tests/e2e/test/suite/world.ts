import {
  ControlPlaneClient,
  createProject,
  type Json,
  type ProjectFixture,
  uniqueName,
} from "../../src/control-plane-client.ts";
import { exchange, type Exchange, type ExchangeOptions } from "../../src/exchange.ts";
import type { EndpointFixture } from "../../src/product-world.ts";
import type { Product } from "../../src/product.ts";
import { ScriptedProvider } from "../../src/scripted-provider.ts";

/** A running product with two scripted providers and a project with wide rate limits, shared by the tests of one suite. */
export interface World extends ProjectFixture {
  readonly product: Product;
  readonly control: ControlPlaneClient;
  readonly primary: ScriptedProvider;
  readonly secondary: ScriptedProvider;
  readonly primaryName: string;
  readonly secondaryName: string;
  /** Sends one request to a path of the product. */
  ask(path: string, options?: ExchangeOptions): Promise<Exchange>;
  /** Creates another provider with a scripted provider's address, so that failures of one test do not affect others. */
  anotherProvider(scripted: Pick<ScriptedProvider, "baseUrl">): Promise<string>;
  /** Makes an endpoint on the primary provider or on given targets, in the shared project or a given one. */
  endpoint(settings?: Json, project?: ProjectFixture): Promise<EndpointFixture>;
  /** Makes an endpoint in a new project with these settings. */
  ownEndpoint(settings?: Json, project?: Json): Promise<EndpointFixture>;
  /** Makes another project with one token. */
  newProject(settings?: Parameters<typeof createProject>[1]): Promise<ProjectFixture>;
  /** Makes one more token of a project. */
  newToken(project: string, settings?: Json): Promise<{ readonly id: number; readonly token: string }>;
  stop(): Promise<void>;
}

/** More than a suite sends, but still limits: calls of a project without any would bypass the ledger. */
const wideLimits = { rate_limit_per_minute: 60_000, rate_limit_per_hour: 1_000_000 };

export async function createWorld(start: () => Promise<Product>): Promise<World> {
  const product = await start();
  const control = new ControlPlaneClient(product);
  const [primary, secondary] = [await ScriptedProvider.start(), await ScriptedProvider.start()];
  const createProvider = async (name: string, { baseUrl }: Pick<ScriptedProvider, "baseUrl">) => {
    await control.call("svc_create_provider", { name, kind: "openai-compatible", base_url: baseUrl });
    return name;
  };
  const primaryName = await createProvider(uniqueName("primary"), primary);
  const secondaryName = await createProvider(uniqueName("secondary"), secondary);
  const fixture = await createProject(control, wideLimits);
  const endpoint: World["endpoint"] = async (settings = {}, given = fixture) => {
    const { project, token, tokenId } = given;
    const slug = uniqueName("endpoint");
    const targets = [{ provider: primaryName, model: "m" }];
    const made = { project, slug, targets, ...settings };
    const { uuid } = await control.call<{ uuid: string }>("svc_create_endpoint", made);
    return { project, token, tokenId, slug: made.slug, uuid, path: `/api/${project}/${made.slug}` };
  };
  return {
    ...fixture,
    product,
    control,
    primary,
    secondary,
    primaryName,
    secondaryName,
    ask: async (path, options) => await exchange(`${product.url}${path}`, options),
    anotherProvider: async (scripted) => await createProvider(uniqueName("provider"), scripted),
    endpoint,
    newProject: async (settings) => await createProject(control, settings),
    ownEndpoint: async (settings, project) => await endpoint(settings, await createProject(control, project)),
    newToken: async (project, settings = {}) =>
      await control.call("svc_create_token", { project, name: uniqueName("token"), scopes: ["chat"], ...settings }),
    async stop() {
      await product.stop();
      await Promise.all([primary.stop(), secondary.stop()]);
    },
  };
}
