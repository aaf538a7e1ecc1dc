import { token } from "@gatehouse/http-fields";
import type { Secret } from "@gatehouse/vault";

/** OTLP collector that receives a copy of the gateway log. */
export interface Collector {
  /** Base address, such as `http://127.0.0.1:4318`. */
  readonly endpoint: string;
  /** Headers of every request, `name=value,name=value`. */
  readonly headers: Secret | undefined;
}

/** One header of a request. */
export type Header = readonly [name: string, value: string];

const valueForm = /^[\x20-\x7e]+$/;
/** Headers of the request itself, which the client sets. */
const reserved: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Reads `name=value,name=value`, the form of `OTEL_EXPORTER_OTLP_HEADERS` (OpenTelemetry specification, "Specifying headers via
 * environment variables"): values may be percent-encoded. Undefined where a part is no such pair, or names a header of the request
 * itself.
 */
export function parseCollectorHeaders(text: string): readonly Header[] | undefined {
  const headers = text.split(",").flatMap((pair) => toHeader(pair) ?? []);
  return headers.length === text.split(",").length ? headers : undefined;
}

function toHeader(pair: string): readonly [Header] | undefined {
  const [name = "", ...rest] = pair.split("=");
  const [trimmed, value] = [name.trim(), decode(rest.join("=").trim())];
  const isRight = token.test(trimmed) && !reserved.has(trimmed.toLowerCase()) && valueForm.test(value);
  return isRight ? [[trimmed, value]] : undefined;
}

/** Empty where the text is not percent-encoded rightly. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (err) {
    if (err instanceof URIError) return "";
    throw err;
  }
}
