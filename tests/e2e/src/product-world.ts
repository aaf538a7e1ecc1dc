import {
  ControlPlaneClient,
  createProject,
  type Json,
  type ProjectFixture,
  uniqueName,
} from "./control-plane-client.ts";
import { exchange, type Exchange, type ExchangeOptions } from "./exchange.ts";
import { type Product, startStandalone } from "./product.ts";
import { ScriptedProvider } from "./scripted-provider.ts";

export interface EndpointFixture extends ProjectFixture {
  readonly slug: string;
  readonly uuid: string;
  /** Direct route of the endpoint. */
  readonly path: string;
}

/** The product as its callers know it: over HTTP, administered through the Control Plane, with scripted providers. */
export interface ProductWorld {
  readonly product: Product;
  readonly control: ControlPlaneClient;
  readonly provider: ScriptedProvider;
  readonly backup: ScriptedProvider;
  readonly providerName: string;
  readonly backupName: string;
  /** Sends one request to a path of the product. */
  ask(path: string, options?: ExchangeOptions): Promise<Exchange>;
  /** Makes a project with one token. */
  project(settings?: Parameters<typeof createProject>[1]): Promise<ProjectFixture>;
  /** Makes an endpoint on the scripted provider, in a given project or in a new one. */
  endpoint(settings?: Json, project?: ProjectFixture): Promise<EndpointFixture>;
  /** Makes one more token of a project. */
  token(project: string, settings?: Json): Promise<{ readonly id: number; readonly token: string }>;
  /** Creates another provider with a scripted provider's address, so that its failures do not affect other tests. */
  anotherProvider(scripted: ScriptedProvider): Promise<string>;
  stop(): Promise<void>;
}

/** Opens loopback addresses, which are blocked by default, for receivers and upstreams. */
export const allowLoopback = { EGRESS_ALLOW: "127.0.0.0/8,localhost" };

export async function openProductWorld(env: Readonly<Record<string, string>> = {}): Promise<ProductWorld> {
  const product = await startStandalone({ env: { ...allowLoopback, ...env } });
  const control = new ControlPlaneClient(product);
  const [provider, backup] = [await ScriptedProvider.start(), await ScriptedProvider.start()];
  const anotherProvider = async ({ baseUrl }: ScriptedProvider) => {
    const name = uniqueName("provider");
    await control.call("svc_create_provider", { name, kind: "openai-compatible", base_url: baseUrl });
    return name;
  };
  const [providerName, backupName] = [await anotherProvider(provider), await anotherProvider(backup)];
  return {
    product,
    control,
    provider,
    backup,
    providerName,
    backupName,
    anotherProvider,
    ask: async (path, options) => await exchange(`${product.url}${path}`, options),
    project: async (settings) => await createProject(control, settings),
    async endpoint(settings = {}, given) {
      const fixture = given ?? (await createProject(control));
      const { project } = fixture;
      const slug = uniqueName("endpoint");
      const targets = [{ provider: providerName, model: "m" }];
      const made = { project, slug, targets, ...settings };
      const { uuid } = await control.call<{ uuid: string }>("svc_create_endpoint", made);
      return { ...fixture, slug: made.slug, uuid, path: `/api/${project}/${made.slug}` };
    },
    token: async (project, settings = {}) =>
      await control.call("svc_create_token", { project, name: uniqueName("token"), scopes: ["chat"], ...settings }),
    async stop() {
      await product.stop();
      await Promise.all([provider.stop(), backup.stop()]);
    },
  };
}
