import { UnauthorizedError, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProjectFixture } from "../../src/control-plane-client.ts";
import { exchange } from "../../src/exchange.ts";
import { browse, IdentityProvider } from "../../src/identity-provider.ts";
import type { World } from "./world.ts";

const redirectUrl = "http://127.0.0.1:9/callback";

/** A person's MCP client, which stores its credentials and uses only the test's browser. */
function createPerson() {
  const kept: Record<string, unknown> = {};
  let signIn: URL | undefined;
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: "e2e",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => kept["client"],
    saveClientInformation: (client: unknown) => void (kept["client"] = client),
    tokens: () => kept["tokens"],
    saveTokens: (tokens: unknown) => void (kept["tokens"] = tokens),
    redirectToAuthorization: (url: URL) => void (signIn = url),
    saveCodeVerifier: (verifier: string) => void (kept["verifier"] = verifier),
    codeVerifier: () => kept["verifier"],
  } as unknown as OAuthClientProvider;
  return { provider, signInUrl: () => signIn };
}

/** JWTs of an organisation's identity provider instead of access tokens. */
export function describeIssuers(world: () => World): void {
  let idp: IdentityProvider;
  let fixture: ProjectFixture;
  let mcpUrl: string;
  let issuerId: number;

  beforeAll(async () => {
    idp = await IdentityProvider.start();
    fixture = await world().newProject({ scopes: ["chat", "mcp"] });
    await world().endpoint({ slug: "answers", expose_as_mcp_tool: true }, fixture);
    mcpUrl = `${world().product.url}/api/${fixture.project}/mcp`;
    const issuer = await world().control.call<{ id: number; warning: string | null }>("svc_create_issuer", {
      project: fixture.project,
      issuer: idp.url,
      audience: mcpUrl,
      scopes: ["chat", "mcp"],
    });
    expect(issuer.warning).toBeNull();
    issuerId = issuer.id;
  });

  afterAll(async () => {
    await idp.stop();
  });

  const chat = async (token: string) =>
    await exchange(`${world().product.url}/api/${fixture.project}/answers`, { token, body: { message: "Hi" } });
  const statusOf = async (token: string) => (await chat(token)).status;
  const challenge = async () => {
    const { status, headers } = await exchange(mcpUrl, { body: {} });
    return [status, headers["www-authenticate"]];
  };

  test("an MCP client signs a person in and calls a tool", async () => {
    // The router hears of the issuer shortly after its creation.
    await expect.poll(async () => (await challenge())[1]).toContain("resource_metadata");
    const person = createPerson();
    const open = () => new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider: person.provider });
    const first = open();
    await expect(
      async () => await new Client({ name: "e2e", version: "1" }).connect(first as Transport),
    ).rejects.toThrow(UnauthorizedError);
    const signInUrl = person.signInUrl();
    if (signInUrl === undefined) throw new Error("The client was not told where to sign in.");
    expect(signInUrl.origin).toBe(idp.url);
    await first.finishAuth(await browse(signInUrl, redirectUrl));

    const client = new Client({ name: "e2e", version: "1" });
    await client.connect(open());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["answers"]);
    const result = await client.callTool({ name: "answers", arguments: { message: "Hi" } });
    expect(result.isError).toBe(false);
    await client.close();
    const { subjects } = await world().control.call<{ subjects: { subject: string }[] }>("svc_list_subjects", {
      issuer_id: issuerId,
    });
    expect(subjects.map(({ subject }) => subject)).toContain("ann");
  });

  test("a program's token works within its scopes, and one for another audience does not", async () => {
    expect(await statusOf(await idp.robotToken(mcpUrl, "chat"))).toBe(200);
    expect(await chat(await idp.robotToken(mcpUrl, "mcp"))).toMatchObject({
      status: 403,
      body: { error: "Missing required scope: 'chat'. Token has: mcp." },
    });
    expect(await chat(await idp.robotToken(`${world().product.url}/api/other/mcp`, "chat"))).toMatchObject({
      status: 401,
      body: { ok: false, error: "Token is for another audience (aud)." },
    });
  });

  test("new tokens work after the issuer rotates its keys", async () => {
    await idp.rotateKeys();
    const token = await idp.robotToken(mcpUrl, "chat");
    await expect.poll(async () => await statusOf(token), { timeout: 15_000, interval: 200 }).toBe(200);
  });

  test("a revoked subject is refused within 250 ms, and all subjects when the issuer is deleted", async () => {
    const token = await idp.robotToken(mcpUrl, "chat");
    expect(await statusOf(token)).toBe(200);
    await world().control.call("svc_revoke_subject", { issuer_id: issuerId, subject: "robot" });
    const revokedAtMs = performance.now();
    await expect.poll(async () => await statusOf(token), { timeout: 5_000, interval: 5 }).toBe(401);
    expect(performance.now() - revokedAtMs).toBeLessThan(250);
    await world().control.call("svc_delete_issuer", { issuer_id: issuerId });
    await expect.poll(challenge).toEqual([401, "Bearer"]);
    expect((await chat(token)).body["error"]).toBe("Invalid token format.");
  });

  test("no token is printed by a process", async () => {
    expect(world().product.output()).not.toMatch(/eyJ[\w-]{20,}\.eyJ/);
  });
}
