import assert from "node:assert/strict";
import { joinUpstreamPath, parseProxyPath } from "../src/domain/proxy-path.ts";

const basePath = "/public/v1";

/** By any interpretation, the path stays below the endpoint's and at its host. */
function joinPath(bytes: Buffer): void {
  const rest = `/${bytes.toString("latin1")}`;
  const joined = joinUpstreamPath(basePath, rest);
  if (joined === undefined) return;
  assert.ok(joined.startsWith(`${basePath}/`));
  let reading = joined;
  for (let decodings = 0; decodings < 3; decodings += 1) {
    const url = new URL(reading, "http://upstream.test");
    assert.equal(url.host, "upstream.test");
    assert.ok(url.pathname.startsWith(`${basePath}/`), `${joined} leads to ${url.pathname}`);
    const relative = new URL(reading.slice(basePath.length), "http://upstream.test");
    assert.equal(relative.host, "upstream.test", `${joined} begins an authority without its base`);
    reading = decoded(reading);
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parts together equal the target. */
function splitTarget(bytes: Buffer): void {
  const target = `/api/3f2a6c1e/${bytes.toString("latin1")}`;
  const { slug, rest, query } = parseProxyPath(target);
  assert.equal(`/api/3f2a6c1e/${slug}${rest}${query}`, target);
  assert.ok(!/[/?]/.test(slug));
}

export const fuzzTargets = [
  {
    name: "upstream-path",
    seeds: ["users/1/a%20b;c=d", "a/%2e/b", "..%2f", "./", "%252e%252e/"],
    words: ["..", "%2f", "%5c", "%252e", ";", "//", "\\", "%c0%ae", "%00"],
    run: joinPath,
    isDeclared: () => false,
  },
  {
    name: "proxy-target",
    seeds: ["slug/rest?x=y", "slug?x=/y", "slug"],
    words: ["?", "/", "//", "#"],
    run: splitTarget,
    isDeclared: () => false,
  },
];
