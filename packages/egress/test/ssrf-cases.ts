import { readFileSync } from "node:fs";
import { parseEgressAllow } from "../src/egress-allow.ts";
import type { EgressGuardOptions } from "../src/egress-guard.ts";
import { createFakeResolver, type FakeAnswer, type FakeResolver } from "../src/testing.ts";

/** One line of ssrf-cases.txt: `URL<TAB>block|allow<TAB>[directives] why`. */
export interface SsrfCase {
  /** Never trimmed: one begins with a space, some contain invisible letters. */
  readonly url: string;
  readonly verdict: "block" | "allow";
  readonly why: string;
  /** Answers to successive queries for the URL's host; undefined where no name is queried. */
  readonly answers: readonly FakeAnswer[] | undefined;
  readonly allow: string;
  readonly neverConnect: string | undefined;
  /** Status and headers of a reply that redirects. */
  readonly reply: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;
}

/** Address of `[dns=self]`: a public one that the guard treats as this machine's. */
export const ownAddress = "93.184.216.99";

const caseCount = 305;

export function readSsrfCases(): readonly SsrfCase[] {
  const text = readFileSync(new URL("ssrf-cases.txt", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line !== "");
  if (lines.length !== caseCount) throw new Error(`ssrf-cases.txt has ${lines.length} lines, not ${caseCount}.`);
  return lines.map(parseCase);
}

/** A fake DNS with the case's answers, for any spelling of its host. */
export function resolverOf({ url, answers }: SsrfCase): FakeResolver {
  const resolver = createFakeResolver();
  const hostname = URL.parse(url)?.hostname.replace(/\.$/, "");
  if (hostname !== undefined && answers !== undefined) resolver.set(hostname, ...answers);
  return resolver;
}

export function guardOptionsOf({ allow }: SsrfCase, { resolve }: FakeResolver): EgressGuardOptions {
  return { allow: parseEgressAllow(allow), ownAddresses: [ownAddress], resolve, resolveTimeoutMs: 50 };
}

function parseCase(line: string): SsrfCase {
  const [url = "", verdict, rest = ""] = line.split("\t");
  if (verdict !== "block" && verdict !== "allow") throw new Error(`A bad line: ${line}`);
  const directives = new Map<string, string>();
  for (const [, name = "", value = ""] of rest.matchAll(
    /\[(dns|dns-seq|never-connect|allow|redirect|refresh|policy)(?:=((?:[^[\]]|\[[^\]]*\])*))?\]/g,
  )) {
    directives.set(name, value);
  }
  return {
    url,
    verdict,
    why: rest,
    answers: answersOf(directives),
    allow: directives.get("allow") ?? "",
    neverConnect: directives.get("never-connect"),
    reply: replyOf(directives),
  };
}

function answersOf(directives: ReadonlyMap<string, string>): readonly FakeAnswer[] | undefined {
  const [once, sequence] = [directives.get("dns"), directives.get("dns-seq")];
  if (sequence !== undefined) return sequence.split(";").map(answerOf);
  return once === undefined ? undefined : [answerOf(once)];
}

function answerOf(text: string): FakeAnswer {
  if (text === "error" || text === "timeout") return text;
  if (text === "self") return [ownAddress];
  return text === "" ? [] : text.split(",");
}

function replyOf(directives: ReadonlyMap<string, string>): SsrfCase["reply"] {
  const [status = "", location = ""] = (directives.get("redirect") ?? "").split(" ");
  if (status !== "") return { status: Number(status), headers: { location } };
  const refresh = directives.get("refresh");
  return refresh === undefined ? undefined : { status: 200, headers: { refresh } };
}
