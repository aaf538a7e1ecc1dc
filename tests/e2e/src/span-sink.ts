import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** `service.name` of the sending process. */
  readonly service: string;
  /** Lists are joined by commas. */
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Resource attributes of the sending process. */
  readonly resource: Readonly<Record<string, string | number>>;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: number | string;
    readonly doubleValue?: number;
    readonly arrayValue?: { readonly values: readonly OtlpAttribute["value"][] };
  };
}

interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, "attributes" | "service" | "resource"> & {
        readonly attributes: readonly OtlpAttribute[];
      })[];
    }[];
  }[];
}

export interface SpanSink {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything received, unparsed. */
  raw(): string;
  /** Bodies of the requests to a path, such as `/v1/logs`. */
  received(path: string): readonly string[];
  stop(): Promise<void>;
}

/** Accepts OTLP JSON over HTTP like a collector, and reads the spans. */
export async function startSpanSink(): Promise<SpanSink> {
  const spans: ReceivedSpan[] = [];
  const requests: { readonly path: string; readonly body: string }[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      requests.push({ path: req.url ?? "", body: text });
      if (req.url === "/v1/traces") spans.push(...readSpans(JSON.parse(text) as OtlpTraces));
      res.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    raw: () => requests.map(({ body }) => body).join("\n"),
    received: (path) => requests.filter((request) => request.path === path).map(({ body }) => body),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function readSpans({ resourceSpans }: OtlpTraces): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const ofProcess = readAttributes(resource.attributes);
    const service = String(ofProcess["service.name"] ?? "");
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? "",
        service,
        attributes: readAttributes(span.attributes),
        resource: ofProcess,
      })),
    );
  });
}

function readAttributes(attributes: readonly OtlpAttribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.arrayValue?.values.map(readValue).join() ?? readValue(value)]),
  );
}

function readValue({ stringValue, intValue, doubleValue }: OtlpAttribute["value"]): string | number {
  return stringValue ?? intValue ?? doubleValue ?? "";
}
