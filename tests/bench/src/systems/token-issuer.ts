import { createSign, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const lifeSeconds = 3_600;

/** An identity provider on the loopback network: a discovery document, one RSA key, and tokens as a real one makes them. */
export interface TokenIssuer {
  readonly url: string;
  /** A JWT access token for an audience. */
  mint(audience: string, subject: string): string;
  stop(): void;
}

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "bench", alg: "RS256", use: "sig" };
  const server = createServer((req, res) => {
    const body = req.url === "/jwks" ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/jwks` };
    res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    mint(audience, subject) {
      const nowSeconds = Math.floor(Date.now() / 1_000);
      const times = { iat: nowSeconds, exp: nowSeconds + lifeSeconds };
      const text = [
        { alg: "RS256", kid: "bench", typ: "at+jwt" },
        { iss: url, aud: audience, sub: subject, client_id: "bench", scope: "chat", jti: subject, ...times },
      ]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".");
      return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey).toString("base64url")}`;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
