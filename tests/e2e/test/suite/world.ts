import {
  ControlPlaneClient,
  createProject,
  type Json,
  type ProjectFixture,
  uniqueName,
} from "../../src/control-plane-client.ts";
import type { Product } from "../../src/product.ts";
import { ScriptedProvider } from "../../src/scripted-provider.ts";

/** A running product with two scripted providers and a project, shared by the tests of one suite. */
export interface World extends ProjectFixture {
  readonly product: Product;
  readonly control: ControlPlaneClient;
  readonly primary: ScriptedProvider;
  readonly secondary: ScriptedProvider;
  readonly primaryName: string;
  readonly secondaryName: string;
  /** Makes another provider of the primary's address, so that failures of one test leave those of others alone. */
  primaryAnew(): Promise<string>;
  /** Makes an endpoint on the primary provider, or on given targets. */
  readonly endpoint: (
    settings?: Json,
  ) => Promise<{ readonly slug: string; readonly uuid: string; readonly path: string }>;
  stop(): Promise<void>;
}

export async function createWorld(start: () => Promise<Product>): Promise<World> {
  const product = await start();
  const control = new ControlPlaneClient(product);
  const [primary, secondary] = [await ScriptedProvider.start(), await ScriptedProvider.start()];
  const [primaryName, secondaryName] = [uniqueName("primary"), uniqueName("secondary")];
  await control.call("svc_create_provider", {
    name: primaryName,
    kind: "openai-compatible",
    base_url: primary.baseUrl,
  });
  await control.call("svc_create_provider", {
    name: secondaryName,
    kind: "openai-compatible",
    base_url: secondary.baseUrl,
  });
  const fixture = await createProject(control);
  return {
    ...fixture,
    product,
    control,
    primary,
    secondary,
    primaryName,
    secondaryName,
    async primaryAnew() {
      const name = uniqueName("primary");
      await control.call("svc_create_provider", { name, kind: "openai-compatible", base_url: primary.baseUrl });
      return name;
    },
    async endpoint(settings = {}) {
      const slug = uniqueName("endpoint");
      const targets = [{ provider: primaryName, model: "m" }];
      const { uuid } = await control.call<{ uuid: string }>("svc_create_endpoint", {
        project: fixture.project,
        slug,
        targets,
        ...settings,
      });
      return { slug, uuid, path: `/api/${fixture.project}/${slug}` };
    },
    async stop() {
      await product.stop();
      await Promise.all([primary.stop(), secondary.stop()]);
    },
  };
}
