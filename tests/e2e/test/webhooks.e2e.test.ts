import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { findNatsServer, startNatsServer, type TestNatsServer } from "@gatehouse/events/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ControlPlaneClient, createProject, type Json, uniqueName } from "../src/control-plane-client.ts";
import { type Product, startServices, startStandalone } from "../src/product.ts";

interface Arrival {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Delivery extends Json {
  readonly id: number;
  readonly success: boolean | null;
}

const program = await findNatsServer();
const env = { EGRESS_ALLOW: "127.0.0.1" };
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

describe.each(program === undefined ? ways.slice(0, 1) : ways)("webhooks of %s", (_name, start) => {
  let product: Product;
  let control: ControlPlaneClient;
  let receiver: Server;
  let status = 200;
  const arrivals: Arrival[] = [];
  const secrets: string[] = [];

  beforeAll(async () => {
    product = await start();
    control = new ControlPlaneClient(product);
    receiver = createServer((req, res) => {
      let body = "";
      req.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      req.on("end", () => {
        arrivals.push({ headers: req.headers, body });
        res.writeHead(status).end("seen");
      });
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
  });

  afterAll(async () => {
    await product.stop();
    receiver.closeAllConnections();
    receiver.close();
    await nats?.remove();
  });

  async function createWebhook(project: string, events: readonly string[]) {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const given = { project, name: uniqueName("hook"), url, events };
    const webhook = await control.call<{ id: number; secret: string }>("svc_create_webhook", given);
    secrets.push(webhook.secret);
    return webhook;
  }

  const arrivalsOf = (project: string) => arrivals.filter(({ body }) => body.includes(project));

  async function deliveriesOf(id: number): Promise<readonly Delivery[]> {
    const { deliveries } = await control.call<{ deliveries: Delivery[] }>("svc_list_deliveries", { webhook_id: id });
    return deliveries;
  }

  test("a revoked token is told to the project's webhook, signed, and recorded", async () => {
    const { project, tokenId } = await createProject(control, { type: "ai_gateway", scopes: ["chat"] });
    const { id, secret } = await createWebhook(project, ["token.revoked"]);
    await control.call("svc_revoke_token", { token_id: tokenId });
    await expect.poll(async () => await deliveriesOf(id), { timeout: 5_000 }).toMatchObject([{ success: true }]);
    const [arrival] = arrivalsOf(project);
    const signature = createHmac("sha256", secret)
      .update(arrival?.body ?? "")
      .digest("hex");
    expect(arrival?.headers).toMatchObject({
      "content-type": "application/json",
      "x-service-event": "token.revoked",
      "x-service-signature": `sha256=${signature}`,
      "x-service-timestamp": expect.stringMatching(/^\d{10}$/),
    });
    expect(JSON.parse(arrival?.body ?? "")).toMatchObject({
      event: "token.revoked",
      severity: "warn",
      actor: "admin_key:environment",
      project: { id: expect.any(Number), name: expect.any(String), uuid: project },
      target: "application",
      metadata: { token_id: tokenId },
      ip_address: expect.any(String),
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(await deliveriesOf(id)).toMatchObject([
      { webhook_id: id, event: "token.revoked", http_status: 200, request_body: arrival?.body, response_body: "seen" },
    ]);
  });

  test("a receiver that refuses is recorded, not asked again, and repeated only by hand", async () => {
    const { project, tokenId } = await createProject(control, { type: "ai_gateway", scopes: ["chat"] });
    const { id } = await createWebhook(project, ["token.deleted"]);
    status = 500;
    await control.call("svc_delete_token", { token_id: tokenId });
    await expect.poll(async () => await deliveriesOf(id), { timeout: 5_000 }).toMatchObject([{ success: false }]);
    status = 200;
    const [failed] = await deliveriesOf(id);
    const again = await control.call("svc_redeliver", { delivery_id: failed?.id });
    expect(again).toMatchObject({ success: true, redelivery_of: failed?.id, event: "token.deleted" });
    expect(arrivalsOf(project)).toHaveLength(2);
  });

  test("a test delivery is answered with its record", async () => {
    const { project } = await createProject(control, { type: "ai_gateway", scopes: ["chat"] });
    const { id } = await createWebhook(project, ["token.created"]);
    const delivery = await control.call("svc_test_webhook", { webhook_id: id });
    expect(delivery).toMatchObject({ webhook_id: id, event: "webhook.test", success: true, http_status: 200 });
  });

  test("an address inside is refused when a webhook is made", async () => {
    const { project } = await createProject(control, { type: "ai_gateway", scopes: ["chat"] });
    const url = "http://169.254.169.254/latest/meta-data";
    const given = { project, name: "inside", url, events: ["token.created"] };
    const { error } = await control.request("tools/call", { name: "svc_create_webhook", arguments: given });
    expect(error).toMatchObject({
      code: -32602,
      message: "Upstream URL blocked by SSRF guard.",
      data: { detail: expect.any(String) },
    });
  });

  test("a project that is deleted says so to its webhooks last", async () => {
    const { project } = await createProject(control, { type: "ai_gateway", scopes: ["chat"] });
    const { id } = await createWebhook(project, ["project.deleted"]);
    await control.call("svc_delete_project", { project });
    const events = () => arrivalsOf(project).map(({ headers }) => headers["x-service-event"]);
    await expect.poll(events, { timeout: 5_000 }).toEqual(["project.deleted"]);
    await expect
      .poll(
        async () =>
          (
            await control.request("tools/call", {
              name: "svc_test_webhook",
              arguments: { webhook_id: id },
            })
          ).error,
      )
      .toMatchObject({ code: -32602, message: `Webhook not found: ${id}` });
  });

  test("no secret is in what the processes print", () => {
    expect(secrets).not.toHaveLength(0);
    for (const secret of secrets) expect(product.output()).not.toContain(secret);
  });
});
