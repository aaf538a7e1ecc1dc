/** Facts that the router has written into the page. */
interface PageFacts {
  readonly serviceName: string;
  /** Allows this page's style elements, and no other page's. */
  readonly styleNonce: string;
  /** An address with `{trace_id}` in it; empty where traces are shown nowhere. */
  readonly traceUrlTemplate: string;
}

/** In development no router has filled in the page; the placeholders then stand for themselves. */
export function readPageFacts(): PageFacts {
  return {
    serviceName: read("service-name") || "Gatehouse",
    styleNonce: read("style-nonce"),
    traceUrlTemplate: read("trace-url-template"),
  };
}

function read(name: string): string {
  const text = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
  return text.startsWith("%") ? "" : text;
}
