import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ControlPlaneClient } from "../control-plane-client.ts";
import { type Product, startStandalone } from "../product.ts";
import { ChangingUpstream } from "./changing-upstream.ts";
import { ConsoleVisitor } from "./console-visitor.ts";
import { type SeededProduct, seedProduct } from "./seed-product.ts";

/** A product in use, with a signed-in person at its console. */
export interface ConsoleFixture extends SeededProduct {
  readonly product: Product;
  readonly control: ControlPlaneClient;
  readonly visitor: ConsoleVisitor;
  /** Upstream of the MCP Gateway project. */
  readonly upstream: ChangingUpstream;
  readonly stop: () => Promise<void>;
}

export interface FixtureOptions {
  /** Further settings of the product. */
  readonly env?: Readonly<Record<string, string>>;
  /** Address of the product, if the settings choose its port. */
  readonly url?: string;
  /** Whether scripts run as fast as for people. */
  readonly isMeasured?: boolean;
}

export async function openConsoleFixture(
  chromiumPath: string,
  { env = {}, url, isMeasured }: FixtureOptions = {},
): Promise<ConsoleFixture> {
  const receiver = await startReceiver();
  const upstream = await ChangingUpstream.start();
  const started = await startStandalone({ env: { EGRESS_ALLOW: "127.0.0.0/8", ...env } });
  const product = url === undefined ? started : { ...started, url };
  const control = new ControlPlaneClient(product);
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const furnished = await seedProduct(product, control, { receiverUrl, upstreamUrl: upstream.url });
  const visitor = await ConsoleVisitor.arrive(chromiumPath, product.url, { isMeasured });
  await visitor.page.goto("/console");
  await visitor.signIn(product.adminKey);
  const stop = async () => {
    await visitor.leave();
    upstream.stop();
    receiver.close();
    await product.stop();
  };
  return { ...furnished, product, control, visitor, upstream, stop };
}

async function startReceiver(): Promise<Server> {
  const receiver = createServer((req, res) => {
    req.resume();
    res.writeHead(202, { "content-type": "text/plain" }).end("thanks");
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  return receiver;
}
