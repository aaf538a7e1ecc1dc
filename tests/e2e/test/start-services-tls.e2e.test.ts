import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { connect as connectEncrypted } from "node:tls";
import { createTestCertificates } from "@gatehouse/certificates/testing";
import { findNatsServer } from "@gatehouse/events/testing";
import { serviceNames } from "@gatehouse/trust";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { ControlPlaneClient, createProject } from "../src/control-plane-client.ts";
import { answer, ScriptedProvider } from "../src/scripted-provider.ts";
import {
  descendantsOf,
  environmentOfProcess,
  isServiceProcess,
  prepareServicesCommand,
  type RunningServices,
  type ServicesCommand,
} from "../src/services-command.ts";

/** `SERVICES_TLS=on npm run start:services`: connections between its processes are encrypted, with a certificate of each. */

const program = await findNatsServer();
const inForceWithinMs = 10_000;

describe.skipIf(program === undefined)("all services of one command, with TLS", () => {
  let command: ServicesCommand;
  let running: RunningServices;
  let control: ControlPlaneClient;
  let provider: ScriptedProvider;
  let receiver: Server;
  const arrivals: string[] = [];
  const adminKey = `svc_admin_${"e".repeat(48)}`;

  beforeAll(async () => {
    command = await prepareServicesCommand();
    provider = await ScriptedProvider.start();
    provider.play(answer("ok"));
    receiver = createServer((req, res) => {
      arrivals.push(String(req.headers["x-service-event"]));
      res.end();
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    running = await command.start({ SERVICES_TLS: "on", GATEHOUSE_ADMIN_KEY: adminKey, EGRESS_ALLOW: "127.0.0.1" });
    await running.untilReady();
    control = new ControlPlaneClient({ url: running.url, adminKey });
  });
  afterAll(async () => {
    running.child.kill("SIGTERM");
    await running.exited;
    await command.remove();
    await provider.stop();
    receiver.close();
  });

  /** The settings of each service's process. */
  const environments = () =>
    descendantsOf(running.child.pid)
      .filter(isServiceProcess)
      .map(({ pid }) => environmentOfProcess(pid));

  test("a call, the revocation of its token, the audit log and a webhook work", async () => {
    const { project, token, tokenId } = await createProject(control);
    await control.call("svc_create_provider", { name: "p", kind: "openai-compatible", base_url: provider.baseUrl });
    const targets = [{ provider: "p", model: "m" }];
    await control.call("svc_create_endpoint", { project, slug: "e", targets });
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    await control.call("svc_create_webhook", { project, name: "h", url, events: ["token.revoked"] });
    const call = async () => await send({ url: running.url }, `/api/${project}/e`, { token, body: { message: "Hi" } });
    expect(await call()).toMatchObject({ status: 200, body: { ok: true, content: "ok" } });

    await control.call("svc_revoke_token", { token_id: tokenId });
    await expect.poll(async () => (await call()).status, { timeout: inForceWithinMs }).toBe(401);
    await expect.poll(() => arrivals, { timeout: inForceWithinMs }).toEqual(["token.revoked"]);
    const eventsOf = async () => {
      const page = await control.call<{ entries?: { event: string }[] }>("svc_query_audit_log", { project });
      return JSON.stringify(page);
    };
    await expect.poll(eventsOf, { timeout: inForceWithinMs }).toContain("token.revoked");
    expect(await control.call("svc_verify_audit_log")).toMatchObject({ ok: true, faults: [] });
  });

  test("each process shows a certificate of its service, and cuts plaintext off", async () => {
    const [own] = environments();
    const authorities = readFileSync(own?.["GATEHOUSE_TLS_CA_FILE"] ?? "", "utf8");
    const found = environments();
    expect(found).toHaveLength(serviceNames.length);
    const files = found.map((env) => env["GATEHOUSE_TLS_CERTIFICATE_FILE"]);
    expect(new Set(files).size).toBe(serviceNames.length);
    for (const env of found.filter(({ RPC_PORT }) => RPC_PORT !== "0")) {
      const name = /\/([\w-]+)\/tls\.crt$/.exec(env["GATEHOUSE_TLS_CERTIFICATE_FILE"] ?? "")?.[1];
      expect(await shownName(Number(env["PORT"]), authorities)).toBe(`URI:spiffe://gatehouse/${name}, DNS:${name}`);
      expect(await answerToPlaintext(Number(env["PORT"]))).not.toMatch(/HTTP\/1\.1 200/);
      const rpc = `127.0.0.1:${env["RPC_PORT"]}`;
      expect(await speaksHttp2(`https://${rpc}`, ownFiles(env))).toBe(true);
      expect(await speaksHttp2(`https://${rpc}`, { ...ownFiles(env), ...strangersFiles() })).toBe(false);
      expect(await speaksHttp2(`http://${rpc}`)).toBe(false);
    }
  });

  test("the broker takes no plaintext, and no certificate of another authority", async () => {
    const { port } = new URL(environments()[0]?.["NATS_URL"] ?? "");
    expect(environments().every((env) => env["NATS_URL"]?.startsWith("tls://"))).toBe(true);
    expect(await answerToPlaintext(Number(port), "CONNECT {}\r\nPING\r\n")).not.toContain("PONG");
    const [own = {}] = environments();
    // After the TLS handshake the broker still demands the user's key.
    expect(await answerOfBroker(Number(port), ownFiles(own))).toContain("-ERR");
    expect(await answerOfBroker(Number(port), { ...ownFiles(own), ...strangersFiles() })).toBe("");
  });
});

interface TlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

function ownFiles(env: Readonly<Record<string, string | undefined>>): TlsFiles {
  const read = (name: string) => readFileSync(env[`GATEHOUSE_TLS_${name}_FILE`] ?? "", "utf8");
  return { ca: read("CA"), cert: read("CERTIFICATE"), key: read("KEY") };
}

/** A service's certificate by an unknown authority. */
function strangersFiles() {
  const { certificate, key } = createTestCertificates().issue("logbook");
  return { cert: certificate, key };
}

/** Whether a port answers with HTTP/2 settings, as gRPC's transport. */
async function speaksHttp2(url: string, files?: TlsFiles): Promise<boolean> {
  const session = connectHttp2(url, { ...files, checkServerIdentity: () => undefined });
  session.on("error", () => {});
  const answered = await new Promise<boolean>((resolve) => {
    session.once("remoteSettings", () => resolve(true));
    session.once("close", () => resolve(false));
  });
  session.destroy();
  return answered;
}

/** The broker's answer after its plain-text greeting. */
async function answerOfBroker(port: number, files: TlsFiles): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "data");
  const encrypted = connectEncrypted({ socket, ...files, checkServerIdentity: () => undefined });
  encrypted.on("error", () => {});
  let answered = "";
  encrypted.on("data", (bytes: Buffer) => (answered += bytes.toString("latin1")));
  const closed = new Promise((resolve) => encrypted.once("close", resolve));
  encrypted.write("CONNECT {}\r\nPING\r\n");
  await closed;
  return answered;
}

/** Names in the certificate that a port presents. */
async function shownName(port: number, ca: string): Promise<string | undefined> {
  const socket = connectEncrypted({ port, host: "127.0.0.1", ca, checkServerIdentity: () => undefined });
  await once(socket, "secureConnect");
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return new X509Certificate(raw).subjectAltName;
}

async function answerToPlaintext(port: number, text = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  let answered = "";
  socket.on("data", (bytes) => (answered += bytes.toString("latin1")));
  const closed = once(socket, "close");
  socket.write(text);
  await closed;
  return answered;
}
