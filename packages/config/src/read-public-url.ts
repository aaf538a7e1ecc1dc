import type { EnvReader } from "./env-reader.ts";

/** Reads `PUBLIC_URL`, the gateway's address for browsers and clients: a scheme and a host. Problems stay in `env`. */
export function readPublicUrl(env: EnvReader): string | undefined {
  const given = env.optionalText("PUBLIC_URL");
  if (given === undefined) return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isOrigin = url !== undefined && `${url.origin}/` === url.href && /^https?:$/.test(url.protocol);
  if (!isOrigin) env.problem("PUBLIC_URL", "must be a scheme and a host, such as https://gateway.example.com");
  return url?.origin;
}
