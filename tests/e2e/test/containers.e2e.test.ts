import { randomBytes } from "node:crypto";
import { mkdir, chmod } from "node:fs/promises";
import { join } from "node:path";
import type { StartedTestContainer } from "testcontainers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { ComposedServices, findEngineProblem } from "../src/containers.ts";
import { ControlPlaneClient, createProject } from "../src/control-plane-client.ts";

/**
 * Real images with `docker-compose.yml`. `BASE_IMAGE`, `POSTGRES_IMAGE` and `NATS_IMAGE` replace the files' images; with
 * `CONTAINER_IMAGES=present` the services' images are not built again.
 */

const problem = await findEngineProblem();
if (problem !== undefined) {
  process.stderr.write(`\n!!! No container engine (${problem}): tests of the images are SKIPPED.\n\n`);
}

const buildTimeoutMs = 1_200_000;
const settleWithinMs = 30_000;
const adminKey = `svc_admin_${randomBytes(24).toString("hex")}`;
/** In the order of start; those that end by themselves come first. */
const steps = ["keys", "postgres", "roles", "migrate", "nats"] as const;
const services = ["logbook", "control-plane", "guardrail", "chat", "router"] as const;

describe.skipIf(problem !== undefined)("services in containers", () => {
  let composed: ComposedServices;
  let url: string;
  const running = new Map<string, StartedTestContainer>();

  beforeAll(async () => {
    const { BASE_IMAGE, CONTAINER_IMAGES, POSTGRES_IMAGE, NATS_IMAGE } = process.env;
    const password = randomBytes(12).toString("hex");
    composed = await ComposedServices.open({
      POSTGRES_IMAGE,
      NATS_IMAGE,
      POSTGRES_PASSWORD: password,
      GATEHOUSE_ADMIN_KEY: adminKey,
    });
    if (CONTAINER_IMAGES !== "present") {
      for (const name of [...steps, ...services]) await composed.build(name, BASE_IMAGE);
    }
    const keys = join(composed.folder, "keys");
    await mkdir(keys);
    await chmod(keys, 0o777);
    for (const name of [...steps, ...services]) running.set(name, await composed.start(name));
    const router = running.get("router");
    url = `http://${router?.getHost()}:${router?.getMappedPort(8080)}`;
  }, buildTimeoutMs);
  afterAll(async () => await (composed as ComposedServices | undefined)?.stop(), buildTimeoutMs);

  test("a call through the router's published port is answered, logged and audited", async () => {
    const control = new ControlPlaneClient({ url, adminKey });
    const { project, token } = await createProject(control);
    await control.call("svc_create_provider", { name: "m", kind: "mock" });
    await control.call("svc_create_endpoint", { project, slug: "e", targets: [{ provider: "m", model: "mock-1" }] });
    const call = async () => await send({ url }, `/api/${project}/e`, { token, body: { message: "Hi" } });
    await expect.poll(async () => (await call()).status, { timeout: settleWithinMs }).toBe(200);
    expect(await call()).toMatchObject({ status: 200, body: { ok: true, content: "Echo: Hi" } });
    const entries = async () =>
      (await control.call<{ entries: unknown[] }>("svc_query_gateway_log", { project, clients_only: true })).entries;
    await expect.poll(async () => (await entries()).length, { timeout: settleWithinMs }).toBeGreaterThanOrEqual(2);
    const events = async () =>
      (await control.call<{ entries: { event: string }[] }>("svc_query_audit_log", { project })).entries;
    await expect
      .poll(async () => (await events()).map(({ event }) => event), { timeout: settleWithinMs })
      .toEqual(expect.arrayContaining(["project.created", "token.created", "endpoint.created"]));
    expect(await control.call("svc_verify_audit_log")).toMatchObject({ ok: true, faults: [] });
  });

  test.each(services)(
    "%s runs as user 1000, cannot write to its folder, and has no .env file in its image",
    async (name) => {
      const { stdout: user } = (await running.get(name)?.exec(["id", "-u"])) ?? {};
      expect(user?.trim()).toBe("1000");
      const { output, exitCode } = (await running.get(name)?.exec(["sh", "-c", "touch /app/x"])) ?? {};
      expect(output).toMatch(/Read-only file system|Permission denied/);
      expect(exitCode).not.toBe(0);
      const { stdout: found } = (await running.get(name)?.exec(["find", "/app", "-name", ".env*"])) ?? {};
      expect(found).toBe("");
    },
  );
});
