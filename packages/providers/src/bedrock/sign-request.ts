import { createHash, createHmac, type BinaryLike } from "node:crypto";

/** Access key of an AWS account. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

interface Signing {
  readonly key: AccessKey;
  readonly region: string;
  readonly method: string;
  readonly url: URL;
  readonly body: string | Uint8Array;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

const algorithm = "AWS4-HMAC-SHA256";

/**
 * Headers that sign a request to Bedrock without a query. Source: AWS, "Create a signed AWS API request" (Signature Version 4),
 * which encodes each segment of a path twice for all services but S3.
 */
export function signRequest({ key, region, method, url, body, nowMs }: Signing): Readonly<Record<string, string>> {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const day = time.slice(0, 8);
  const token = key.sessionToken === undefined ? {} : { "x-amz-security-token": key.sessionToken };
  const sent = { "x-amz-date": time, ...token };
  const signed = Object.entries({ host: url.host, ...sent });
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const canonical = [method, encodePath(url.pathname), "", lines, names, sha256(body)].join("\n");
  const scope = `${day}/${region}/bedrock/aws4_request`;
  const text = [algorithm, time, scope, sha256(canonical)].join("\n");
  const secrets = [day, region, "bedrock", "aws4_request"];
  const secret = secrets.reduce<BinaryLike>(hmac, `AWS4${key.secretAccessKey}`);
  const signature = hmac(secret, text).toString("hex");
  const credential = `${key.accessKeyId}/${scope}`;
  return {
    ...sent,
    authorization: `${algorithm} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Encodes all characters but those of RFC 3986, section 2.3; `encodeURIComponent` leaves five more. */
function encodePath(path: string): string {
  const toHex = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return path
    .split("/")
    .map((segment) => encodeURIComponent(segment).replaceAll(/[!'()*]/g, toHex))
    .join("/");
}

function sha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(secret: BinaryLike, text: string): Buffer {
  return createHmac("sha256", secret).update(text).digest();
}
