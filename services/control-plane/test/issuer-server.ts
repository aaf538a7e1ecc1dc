import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  readonly publicPem: string;
}

export async function createKey(kid: string, alg = "ES256"): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: "sig" };
  return { kid, alg, privateKey, publicJwk, publicPem: await exportSPKI(publicKey) };
}

/** A local identity provider, whose discovery document and keys the test changes. */
export interface IssuerServer {
  readonly url: string;
  /** Requested paths. */
  readonly asked: string[];
  keys: JWK[];
  /** While set, the status of every answer. */
  failing: number | undefined;
  close(): void;
}

export async function startIssuer(): Promise<IssuerServer> {
  const server = createServer((req, res) => {
    const path = req.url ?? "";
    issuer.asked.push(path);
    const body = path === "/jwks" ? { keys: issuer.keys } : { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` };
    const isKnown = path === "/jwks" || path === "/.well-known/openid-configuration";
    const status = issuer.failing ?? (isKnown ? 200 : 404);
    res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer: IssuerServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    keys: [],
    failing: undefined,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return issuer;
}

export async function sign(claims: JWTPayload, { privateKey, alg, kid }: SigningKey): Promise<string> {
  return await new SignJWT(claims).setProtectedHeader({ alg, kid, typ: "at+jwt" }).sign(privateKey);
}

/** Assembles a token from its parts. */
export function forge(header: object, claims: object, signature = ""): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode(header)}.${encode(claims)}.${signature}`;
}
