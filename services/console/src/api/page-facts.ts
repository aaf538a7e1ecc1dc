/** Facts that the router inserts into the page. */
interface PageFacts {
  readonly serviceName: string;
  /** Nonce for this page's style elements. */
  readonly styleNonce: string;
  /** URL with `{trace_id}`; empty: no links to traces. */
  readonly traceUrlTemplate: string;
}

/** In development the placeholders remain, since no router inserts facts. */
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
