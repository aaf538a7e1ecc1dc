import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { Provider } from "oidc-provider";

/** A person at the provider. */
export interface Account {
  readonly id: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** An application that signs people in. */
export interface SignInClient {
  readonly id: string;
  readonly secret: string;
  readonly redirectUri: string;
}

const robot = { id: "robot", secret: "a-secret-of-a-test-robot" };

/**
 * A certified OpenID provider on the loopback network that signs the expected person in without a question. Resources are the
 * tokens' audiences.
 */
export class IdentityProvider {
  readonly url: string;
  /** Who signs in next. */
  #next: Account = { id: "ann", claims: {} };
  readonly #server: Server;
  readonly #parts: ProviderParts;
  #provider: Provider;

  private constructor(server: Server, provider: Provider, parts: ProviderParts) {
    this.#server = server;
    this.#provider = provider;
    this.#parts = parts;
    this.url = parts.url;
  }

  static async start(clients: readonly SignInClient[] = []): Promise<IdentityProvider> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const parts = { url, clients, accounts: new Map<string, Account>() };
    const idp = new IdentityProvider(server, await createProvider(parts), parts);
    server.on("request", (req, res) => void idp.#answer(req, res));
    return idp;
  }

  /** Signs tokens with a new key, and withdraws the old one. */
  async rotateKeys(): Promise<void> {
    this.#provider = await createProvider(this.#parts);
  }

  /** Sets the person who signs in next, and the claims about them. */
  expect(account: Account): void {
    this.#next = account;
    this.#parts.accounts.set(account.id, account);
  }

  /** A JWT access token of a program, for a resource. */
  async robotToken(resource: string, scope: string): Promise<string> {
    const basic = Buffer.from(`${robot.id}:${robot.secret}`).toString("base64");
    const reply = await fetch(`${this.url}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: "client_credentials", resource, scope }),
    });
    const { access_token: token } = (await reply.json()) as { readonly access_token?: string };
    if (token === undefined) throw new Error(`The provider gave no token: ${reply.status}.`);
    return token;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.url?.startsWith("/interaction/") !== true) return void this.#provider.callback()(req, res);
    const provider = this.#provider;
    const { prompt, params, grantId, session } = await provider.interactionDetails(req, res);
    if (prompt.name === "login") {
      return await provider.interactionFinished(req, res, { login: { accountId: this.#next.id } });
    }
    const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
    const grant =
      known ?? new provider.Grant({ accountId: session?.accountId ?? "", clientId: String(params["client_id"]) });
    grant.addOIDCScope(String(params["scope"]));
    const { resource } = params;
    if (typeof resource === "string") grant.addResourceScope(resource, String(params["scope"]));
    await provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
    return undefined;
  }
}

interface ProviderParts {
  readonly url: string;
  readonly clients: readonly SignInClient[];
  readonly accounts: Map<string, Account>;
}

async function createProvider({ url, clients, accounts }: ProviderParts): Promise<Provider> {
  return new Provider(url, {
    clients: [
      {
        client_id: robot.id,
        client_secret: robot.secret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
      ...clients.map(({ id, secret, redirectUri }) => ({
        client_id: id,
        client_secret: secret,
        redirect_uris: [redirectUri],
      })),
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    jwks: { keys: [await createSigningKey()] },
    cookies: { keys: ["a-key-of-a-test"] },
    scopes: ["openid", "email", "groups", "chat", "mcp", "models"],
    findAccount: (_ctx, accountId) => {
      return { accountId, claims: () => ({ sub: accountId, ...accounts.get(accountId)?.claims }) };
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: "chat mcp models",
          accessTokenFormat: "jwt",
          accessTokenTTL: 600,
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  });
}

let keysMade = 0;

async function createSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  keysMade += 1;
  return { ...(await exportJWK(privateKey)), kid: `key-${keysMade}`, use: "sig", alg: "RS256" };
}

/** Follows a sign-in like a browser, with cookies, up to the redirect to the client. @returns its code */
export async function browse(start: URL, redirectUrl: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hops = 0; hops < 20; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const reply = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = reply.headers.get("location");
    if (location === null) throw new Error(`The sign-in ended at ${reply.status}: ${await reply.text()}`);
    url = new URL(location, url);
    if (url.href.startsWith(redirectUrl)) return url.searchParams.get("code") ?? "";
  }
  throw new Error("The sign-in goes round.");
}
