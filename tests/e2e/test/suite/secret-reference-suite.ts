import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uniqueName } from "../../src/control-plane-client.ts";
import { exchange } from "../../src/exchange.ts";
import { answer, ScriptedProvider } from "../../src/scripted-provider.ts";
import { replyJson, ScriptedUpstream } from "../../src/scripted-upstream.ts";
import type { World } from "./world.ts";

interface Saved {
  readonly id: number;
  readonly warning: string | null;
  readonly reference?: string | null;
  readonly bearer_token_reference?: string | null;
  readonly client_secret_reference?: string | null;
}

const folder = mkdtempSync(join(tmpdir(), "gatehouse-secrets-"));
/** Settings of a product for this suite: permitted secret stores. */
export const secretReferenceEnv = {
  SECRET_FOLDER: folder,
  SECRET_ENV_PREFIX: "OPEN_",
  OPEN_PROVIDER_KEY: "sk-of-the-environment",
};
const sent: string[] = [];

/** Replaces a file atomically, like a rotation. */
function keep(path: string, value: string): string {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  sent.push(value);
  writeFileSync(join(folder, "next"), `${value}\n`);
  renameSync(join(folder, "next"), join(folder, path));
  return `file:${folder}/${path}`;
}

/** Secrets read from a secret store instead of the database: for a product with {@link secretReferenceEnv}. */
export function describeSecretReferences(world: () => World): void {
  let provider: ScriptedProvider;
  let upstream: ScriptedUpstream;

  beforeAll(async () => {
    [provider, upstream] = [await ScriptedProvider.start(), await ScriptedUpstream.start()];
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await Promise.all([provider.stop(), upstream.stop()]);
  });

  const within = { timeout: 5_000, interval: 50 };

  test("a provider's key is read from the environment or a file, and again when the file changes", async () => {
    const fixture = await world().newProject({ scopes: ["chat"] });
    const name = uniqueName("kept-elsewhere");
    await world().control.call("svc_create_provider", { name, kind: "openai-compatible", base_url: provider.baseUrl });
    const keyFile = `file:${folder}/${randomUUID()}`;
    const save = async (api_key: string, credential_id?: number) =>
      credential_id === undefined
        ? await world().control.call<Saved>("svc_create_credential", { provider: name, name: "main", api_key })
        : await world().control.call<Saved>("svc_update_credential", { credential_id, api_key });
    const saved = await save("env:OPEN_PROVIDER_KEY");
    expect(saved).toMatchObject({ reference: "env:OPEN_PROVIDER_KEY", hint: "", warning: null });
    const targets = [{ provider: name, model: "m" }];
    await world().control.call("svc_create_endpoint", { project: fixture.project, slug: "answers", targets });
    const call = async () => {
      provider.play(answer("hello"));
      const { status } = await exchange(`${world().product.url}/api/${fixture.project}/answers`, {
        token: fixture.token,
        body: { message: "Hi" },
      });
      return [status, provider.received[0]?.headers.authorization];
    };
    expect(await call()).toEqual([200, "Bearer sk-of-the-environment"]);

    expect((await save(keyFile, saved.id)).warning).toContain("There is no such file");
    await expect.poll(call, within).toEqual([502, undefined]);
    keep(keyFile.slice(`file:${folder}/`.length), "sk-first-of-the-file");
    await expect.poll(call, within).toEqual([200, "Bearer sk-first-of-the-file"]);
    keep(keyFile.slice(`file:${folder}/`.length), "sk-second-of-the-file");
    await expect.poll(call, within).toEqual([200, "Bearer sk-second-of-the-file"]);
    for (const elsewhere of ["env:GATEHOUSE_KEYRING", "env:PATH", "file:/etc/hostname"]) {
      expect((await save(elsewhere, saved.id)).warning).toContain("It is saved, but");
      await expect.poll(call, within).toEqual([502, undefined]);
    }
  });

  test("a bearer token of an MCP upstream is read from the project's place, and again when the file changes", async () => {
    const fixture = await world().newProject({ type: "mcp_gateway", scopes: ["mcp"] });
    const create = async (bearer_token: string) =>
      await world().control.call<Saved>("svc_create_upstream", {
        project: fixture.project,
        prefix: "u",
        url: `${upstream.url}/mcp`,
        bearer_token,
      });
    await expect(async () => await create("env:OPEN_PROVIDER_KEY")).rejects.toThrow(/reference of this project/);
    await expect(async () => await create(`file:${folder}/provider-key`)).rejects.toThrow(/reference of this project/);
    upstream.play(({ body }, res) =>
      replyJson(200, {
        jsonrpc: "2.0",
        id: body["id"],
        result:
          body["method"] === "tools/list"
            ? { tools: [{ name: "t", inputSchema: { type: "object" } }] }
            : { content: [] },
      })({ method: "", path: "", headers: {}, bytes: Buffer.alloc(0), body }, res),
    );
    const path = `projects/${fixture.project}/token`;
    const saved = await create(`file:${folder}/${path}`);
    expect(saved.warning).toContain("There is no such file");
    const call = async () => {
      upstream.received.length = 0;
      const { body } = await exchange(`${world().product.url}/api/${fixture.project}/mcp`, {
        token: fixture.token,
        body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "u__t", arguments: {} } },
      });
      return [upstream.asked("tools/call")[0]?.headers.authorization, JSON.stringify(body)];
    };
    const [nothing, refusal] = await call();
    expect([nothing, refusal]).toEqual([undefined, expect.stringContaining("error")]);
    expect(keep(path, "first-of-the-file")).toBe(saved.bearer_token_reference);
    await world().control.call("svc_refresh_upstream", { upstream_id: saved.id });
    await expect.poll(async () => (await call())[0], within).toBe("Bearer first-of-the-file");
    keep(path, "second-of-the-file");
    await expect.poll(async () => (await call())[0], within).toBe("Bearer second-of-the-file");
  });

  test("a client secret of an OAuth connection is read from the project's place, and again when the file changes", async () => {
    const fixture = await world().newProject({ type: "api_gateway", scopes: ["proxy"] });
    upstream.play(({ headers }, res) => {
      const [, pair = ""] = (headers.authorization ?? "").split(" ");
      const secret = Buffer.from(pair, "base64").toString().split(":")[1];
      void replyJson(200, { access_token: `for-${secret}`, token_type: "bearer", expires_in: 3_600 })(
        { method: "", path: "", headers, bytes: Buffer.alloc(0), body: {} },
        res,
      );
    });
    const path = `projects/${fixture.project}/secret`;
    const connection = {
      project: fixture.project,
      name: "c",
      token_url: `${upstream.url}/token`,
      client_id: "gatehouse",
      client_secret: `file:${folder}/${path}`,
      grant: "client_credentials",
    };
    const saved = await world().control.call<Saved>("svc_create_oauth_connection", connection);
    expect(saved).toMatchObject({
      status: "failed",
      last_error: "A secret of the connection cannot be read from its reference (env: or file:).",
      warning: expect.stringContaining("There is no such file"),
      client_secret_reference: `file:${folder}/${path}`,
    });
    let asked = 0;
    const ask = async () => {
      upstream.received.length = 0;
      // Only a change of another setting makes the gateway request a token.
      asked += 1;
      const scopes = [`s${asked}`];
      const changed = await world().control.call<{ status: string }>("svc_update_oauth_connection", {
        connection_id: saved.id,
        scopes,
      });
      const [, pair = ""] = (upstream.received[0]?.headers.authorization ?? "").split(" ");
      return [changed.status, decodeURIComponent(Buffer.from(pair, "base64").toString())];
    };
    keep(path, "first-secret");
    await expect.poll(ask, within).toEqual(["connected", "gatehouse:first-secret"]);
    keep(path, "second-secret");
    await expect.poll(ask, within).toEqual(["connected", "gatehouse:second-secret"]);
  });

  test("no secret is printed by a process", () => {
    for (const value of [...sent, secretReferenceEnv.OPEN_PROVIDER_KEY])
      expect(world().product.output()).not.toContain(value);
  });
}
