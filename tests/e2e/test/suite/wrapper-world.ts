import {
  ControlPlaneClient,
  createProject,
  type Json,
  type ProjectFixture,
  uniqueName,
} from "../../src/control-plane-client.ts";
import type { Product } from "../../src/product.ts";
import { ScriptedProvider } from "../../src/scripted-provider.ts";

/** A running product with an AI Wrapper project on a scripted provider. */
export interface WrapperWorld extends ProjectFixture {
  readonly product: Product;
  readonly control: ControlPlaneClient;
  readonly provider: ScriptedProvider;
  readonly providerName: string;
  /** The base URL for an OpenAI client, by default of this project. */
  baseUrl(project?: string): string;
  /** Creates an endpoint on the scripted provider; returns its alias. */
  alias(settings?: Json): Promise<string>;
  stop(): Promise<void>;
}

/** World of a product that its caller stops. */
export async function createWrapperWorld(product: Product): Promise<WrapperWorld> {
  const control = new ControlPlaneClient(product);
  const provider = await ScriptedProvider.start();
  const providerName = uniqueName("scripted");
  await control.call("svc_create_provider", {
    name: providerName,
    kind: "openai-compatible",
    base_url: provider.baseUrl,
  });
  const fixture = await createProject(control, { type: "ai_wrapper", scopes: ["chat", "models"] });
  return {
    ...fixture,
    product,
    control,
    provider,
    providerName,
    baseUrl: (project = fixture.project) => `${product.url}/api/${project}/v1`,
    async alias(settings = {}) {
      const slug = uniqueName("alias");
      const targets = [{ provider: providerName, model: "m" }];
      await control.call("svc_create_endpoint", { project: fixture.project, slug, targets, ...settings });
      return slug;
    },
    stop: async () => await provider.stop(),
  };
}
