import { callNameHeader } from "@gatehouse/http";
import { internalHeaders, userHeader } from "@gatehouse/principal";

/** Headers for the gateway alone: credentials, end users' names, and headers that only the gateway may write. */
const ownHeaders = [
  "authorization",
  "cookie",
  "host",
  "traceparent",
  "x-request-id",
  userHeader,
  callNameHeader,
  ...Object.values(internalHeaders),
];

/** Headers that make servers assume another client, method, host or path, and that no rule below matches. */
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

/** Words of `X-…` headers that override a part of the request: a name with one word of each list is withheld. */
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
 * Whether a caller's header is withheld: an upstream or proxy that obeys it would bypass `allowed_methods`, the endpoint's path
 * or the caller's address. Ordinary headers pass, with or without `X-`. `name` is in lower case.
 */
export function isWithheld(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const withheld = judgeName(name);
  if (judged.size < judgedNamesMax && name.length <= judgedNameLengthMax) judged.set(name, withheld);
  return withheld;
}

/** Cache of decisions by name; a few names make up nearly all headers. */
const judged = new Map<string, boolean>();
const judgedNamesMax = 1_000;
/** UTF-16 units; decisions on longer names are not cached. */
const judgedNameLengthMax = 64;

function judgeName(name: string): boolean {
  // CGI and WSGI map dashes in names to underscores.
  const dashed = name.includes("_") ? name.replaceAll("_", "-") : name;
  if (withheldHeaders.has(dashed) || overridingPrefixes.some((prefix) => dashed.startsWith(prefix))) return true;
  if (!dashed.startsWith("x-")) return false;
  const words = dashed.split("-");
  return overridingWords.some(
    ([verbs, things]) => words.some((word) => verbs.has(word)) && words.some((word) => things.has(word)),
  );
}

/** Reply headers by which a server in front of the gateway would send a file or another reply instead. */
const withheldReplyHeaders: ReadonlySet<string> = new Set(["x-lighttpd-send-file", "x-reproxy-url", "x-sendfile"]);
/** Reply headers that control a reverse proxy in front of the gateway. */
const withheldReplyPrefix = "x-accel-";

/** Whether a header or trailer of a reply is withheld. Names are in lower case. */
export const withheldOfReply: Pick<ReadonlySet<string>, "has"> = {
  has: (name) => name.startsWith("x-") && (withheldReplyHeaders.has(name) || name.startsWith(withheldReplyPrefix)),
};
