/** What the router has written into the page. */
export interface PageFacts {
  readonly serviceName: string;
  /** Allows this page's style elements, and no other page's. */
  readonly styleNonce: string;
}

/** In development no router has filled in the page; the placeholders then stand for themselves. */
export function readPageFacts(): PageFacts {
  const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
  const serviceName = read("service-name");
  return { serviceName: serviceName.startsWith("%") ? "Gatehouse" : serviceName, styleNonce: read("style-nonce") };
}
