import { internalHeaders, userHeader } from "@gatehouse/principal";

/** Headers for the gateway and not for the upstream: credentials, its users' names, and headers that only the gateway may write. */
const ownHeaders = [
  "authorization",
  "cookie",
  "host",
  "traceparent",
  "x-request-id",
  userHeader,
  ...Object.values(internalHeaders),
];

/** Headers by which servers take another client, method, host or path than the request has, under names that no rule below finds. */
const overridingHeaders = [
  "cf-connecting-ip",
  "destination",
  "fastly-client-ip",
  "forwarded",
  "front-end-https",
  "http-url",
  "http-x-rewrite-url",
  "proxy",
  "request-uri",
  "true-client-ip",
  "x-forwarded",
  "x-host",
  "x-http-destinationurl",
  "x-lighttpd-send-file",
  "x-method",
  "x-path",
  "x-appengine-user-ip",
  "x-azure-clientip",
  "x-proxyuser-ip",
  "x-reproxy-url",
  "x-scheme",
  "x-script-name",
  "x-sendfile",
  "x-uri",
  "x-url",
  "x-url-scheme",
  "x-verb",
  "x-waws-unencoded-url",
];

/** Families of headers that proxies and frameworks write for themselves. */
const overridingPrefixes = ["proxy-", "x-accel-", "x-envoy-", "x-forwarded-", "x-middleware-"];

const withheldHeaders: ReadonlySet<string> = new Set([...ownHeaders, ...overridingHeaders]);

/**
 * Words of `X-…` headers that replace a part of the request: with one word of each list it is withheld, in whatever order.
 */
const overridingWords: readonly (readonly [ReadonlySet<string>, ReadonlySet<string>])[] = [
  [
    new Set([
      "forward",
      "forwarded",
      "http",
      "original",
      "override",
      "overwrite",
      "proxy",
      "request",
      "rewrite",
      "tunnel",
    ]),
    new Set(
      [
        ["authority", "by", "destination", "for", "host", "hostname", "location", "method", "path", "pathname", "port"],
        ["prefix", "proto", "protocol", "query", "scheme", "server", "target", "uri", "url", "verb"],
      ].flat(),
    ),
  ],
  [
    new Set(["client", "cluster", "connecting", "external", "originating", "real", "remote", "true"]),
    new Set(["addr", "address", "ip"]),
  ],
];

/**
 * Whether a caller's header stays here: it would evade `allowed_methods`, the endpoint's path or the caller's address where the
 * upstream, or a proxy before it, obeys it. Ordinary headers, with `X-` or without, pass. `name` is in lower case.
 */
export function isWithheld(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const withheld = judgeName(name);
  if (judged.size < judgedNamesMax && name.length <= judgedNameLengthMax) judged.set(name, withheld);
  return withheld;
}

/** Judgements of names that have come: a few names make up nearly all headers, and none of them is judged twice. */
const judged = new Map<string, boolean>();
const judgedNamesMax = 1_000;
/** UTF-16 units; longer names are judged each time. */
const judgedNameLengthMax = 64;

function judgeName(name: string): boolean {
  // Servers behind CGI or WSGI read an underscore in a name as a dash.
  const dashed = name.includes("_") ? name.replaceAll("_", "-") : name;
  if (withheldHeaders.has(dashed) || overridingPrefixes.some((prefix) => dashed.startsWith(prefix))) return true;
  if (!dashed.startsWith("x-")) return false;
  const words = dashed.split("-");
  return overridingWords.some(
    ([verbs, things]) => words.some((word) => verbs.has(word)) && words.some((word) => things.has(word)),
  );
}

/** Headers of a reply by which a server in front of the gateway would send a file or another reply in its place. */
const withheldReplyHeaders: ReadonlySet<string> = new Set(["x-lighttpd-send-file", "x-reproxy-url", "x-sendfile"]);
/** Headers by which an upstream would steer a reverse proxy in front of the gateway. */
const withheldReplyPrefix = "x-accel-";

/** Whether a reply's header stays here. `name` is in lower case. */
export function isWithheldReply(name: string): boolean {
  return name.startsWith("x-") && (withheldReplyHeaders.has(name) || name.startsWith(withheldReplyPrefix));
}
