import { fail, type Script, silence } from "../../src/scripted-provider.ts";
import {
  after,
  beginningOfStream,
  broken,
  drips,
  endedByMark,
  endedEarly,
  failing,
  halfOfJson,
  jsonUnder200,
  malformed,
  page,
  resetConnection,
  slowly,
  stalled,
  voices,
  whole,
  withoutMark,
} from "./fault-scripts.ts";

/** Outcome of a call, as its client saw it. */
export type Result = "primary answers" | "backup answers" | "502" | "error event";
export type Mode = "json" | "stream";
export type Setup = "with a backup" | "alone";

/**
 * Whose usage is billed; an estimate where the reply has no usage; the prompt where it was sent without a reply; nothing where
 * nothing was sent, or it was refused.
 */
export type Bill = "primary" | "backup" | "estimate" | "prompt" | "nothing";

export interface Expectation {
  /** One for each call, in order. */
  readonly results: readonly Result[];
  /** Requests to the primary; undefined where it cannot count them. */
  readonly primaryAsked: number | undefined;
  /** Longest time of the call by the rules, milliseconds; 250 are added. */
  readonly waitMs: number;
  readonly waitMsMin: number;
  readonly bills: readonly Bill[];
}

export interface Fault {
  readonly name: string;
  /** The primary's behaviour by request number; `refuse` closes its port. */
  readonly script: ((request: number) => Script) | "refuse";
  readonly expected: Partial<Readonly<Record<Mode, Partial<Readonly<Record<Setup, Expectation>>>>>>;
}

/** The endpoint's `timeout_ms`. */
export const timeoutMs = 500;
/** Longest pause before the second round, ms. */
const pauseMsMax = 300;

const always = (script: Script) => () => script;
const inTurn =
  (...scripts: readonly Script[]) =>
  (request: number): Script =>
    scripts[request % scripts.length] ?? silence;

function expectation(results: readonly Result[], bills: readonly Bill[], rest: Partial<Expectation>): Expectation {
  return { results, bills, primaryAsked: 1, waitMs: 0, waitMsMin: 0, ...rest };
}

const rescued = (waitMs = 0) => expectation(["backup answers"], ["backup"], { waitMs, waitMsMin: waitMs });
const unharmed = (rest: Partial<Expectation> = {}) => expectation(["primary answers"], ["primary"], rest);
const refused = (rest: Partial<Expectation> = {}) => expectation(["502"], ["nothing"], rest);
/** Sent, and possibly processed. */
const lost = (rest: Partial<Expectation> = {}) => expectation(["502"], ["prompt"], rest);
const toldApart = (waitMs = 0) => expectation(["error event"], ["estimate"], { waitMs, waitMsMin: waitMs });

const twice = { primaryAsked: 2, waitMs: pauseMsMax };
const inTime = { waitMs: timeoutMs, waitMsMin: timeoutMs };

type Expected = Partial<Readonly<Record<Setup, Expectation>>>;
const both = (expected: Expected) => ({ json: expected, stream: expected });
/** A temporary fault of the target: failover to the backup, or a retry at the same target. */
const retried = { "with a backup": rescued(), alone: refused(twice) };
const notRetried = { "with a backup": rescued(), alone: refused() };
const brokenOff = { "with a backup": rescued(), alone: lost() };
const timedOut = { "with a backup": rescued(timeoutMs), alone: lost(inTime) };
/** A fault of the request itself, for which no other target would do better. */
const final = { "with a backup": refused(), alone: refused() };
const unharmedBoth = { "with a backup": unharmed(), alone: unharmed() };
/** Too late for failover: the reply is marked as broken. */
const tooLate = (waitMs = 0) => ({ "with a backup": toldApart(waitMs), alone: toldApart(waitMs) });

/** Each word arrives in time. */
const steady = { waitMs: 4 * (timeoutMs / 2), waitMsMin: 3 * (timeoutMs / 2) };
const good = whole(voices.primary);
const contextLength = { message: "maximum context length is 8192 tokens", code: "context_length_exceeded" };
const overloaded = { message: "overloaded", type: "overloaded_error" };
const flaps = (results: readonly Result[], bills: readonly Bill[], rest: Partial<Expectation>) =>
  expectation(results, bills, { waitMs: 4 * pauseMsMax, ...rest });

export const faults: readonly Fault[] = [
  { name: "429 without Retry-After", script: always(fail(429)), expected: both(retried) },
  {
    name: "429 with Retry-After of 1 s, then well",
    script: inTurn(fail(429, "slow down", { "retry-after": "1" }), good),
    expected: both({
      "with a backup": rescued(),
      alone: unharmed({ primaryAsked: 2, waitMs: 1_000 + pauseMsMax, waitMsMin: 1_000 }),
    }),
  },
  {
    name: "429 with Retry-After of 30 s",
    script: always(fail(429, "slow down", { "retry-after": "30" })),
    expected: both(notRetried),
  },
  {
    name: "500 once",
    script: inTurn(fail(500), good, good),
    expected: both({ "with a backup": rescued(), alone: unharmed(twice) }),
  },
  { name: "503 always", script: always(fail(503)), expected: both(retried) },
  {
    name: "connection refused",
    script: "refuse",
    expected: both({
      "with a backup": { ...rescued(), primaryAsked: undefined },
      alone: { ...refused(twice), primaryAsked: undefined },
    }),
  },
  {
    name: "reset before the head",
    script: always(resetConnection),
    expected: both({ "with a backup": rescued(), alone: lost(twice) }),
  },
  { name: "silence", script: always(silence), expected: both(timedOut) },
  {
    name: "first token late, but in time",
    script: always(after(timeoutMs - 250, good)),
    expected: both({
      "with a backup": unharmed({ waitMs: timeoutMs - 250, waitMsMin: timeoutMs - 250 }),
      alone: unharmed({ waitMs: timeoutMs - 250, waitMsMin: timeoutMs - 250 }),
    }),
  },
  {
    name: "first token never comes",
    script: always(beginningOfStream("without output", stalled)),
    expected: { stream: timedOut },
  },
  {
    name: "keep-alives, but no token",
    script: always(beginningOfStream("without output", drips(": waiting\n\n"))),
    expected: { stream: timedOut },
  },
  { name: "a reply that drips in for too long", script: always(halfOfJson(drips(" "))), expected: { json: timedOut } },
  {
    name: "a steady stream that outlasts the time-out",
    script: always(slowly(timeoutMs / 2)),
    expected: { stream: { "with a backup": unharmed(steady), alone: unharmed(steady) } },
  },
  { name: "cut in the middle", script: always(halfOfJson(broken)), expected: { json: brokenOff } },
  {
    name: "cut in the middle",
    script: always(beginningOfStream("with output", broken)),
    expected: { stream: tooLate() },
  },
  {
    name: "cut before the first token",
    script: always(beginningOfStream("without output", broken)),
    expected: { stream: brokenOff },
  },
  { name: "stall in the middle", script: always(halfOfJson(stalled)), expected: { json: timedOut } },
  {
    name: "stall in the middle",
    script: always(beginningOfStream("with output", stalled)),
    expected: { stream: tooLate(timeoutMs) },
  },
  {
    name: "keep-alives in the middle",
    script: always(beginningOfStream("with output", drips(": waiting\n\n"))),
    expected: { stream: tooLate(timeoutMs) },
  },
  { name: "malformed reply", script: always(jsonUnder200('{"choices": [')), expected: { json: brokenOff } },
  {
    name: "malformed chunk before the first token",
    script: always(beginningOfStream("without output", malformed)),
    expected: { stream: brokenOff },
  },
  {
    name: "malformed chunk in the middle",
    script: always(beginningOfStream("with output", malformed)),
    expected: { stream: tooLate() },
  },
  { name: "an empty reply under 200", script: always(jsonUnder200("")), expected: { json: brokenOff } },
  {
    name: "an empty stream",
    script: always(beginningOfStream("without output", endedEarly)),
    expected: { stream: brokenOff },
  },
  { name: "a web page under 200", script: always(page), expected: both(brokenOff) },
  {
    name: "all text and its finish, no [DONE], closed",
    script: always(withoutMark(endedEarly)),
    expected: { stream: unharmedBoth },
  },
  {
    name: "all text and its finish, no [DONE], reset",
    script: always(withoutMark(broken)),
    expected: { stream: unharmedBoth },
  },
  {
    name: "neither finish nor [DONE]",
    script: always(beginningOfStream("with output", endedEarly)),
    expected: { stream: tooLate() },
  },
  {
    name: "[DONE] without a finish",
    script: always(beginningOfStream("with output", endedByMark)),
    expected: { stream: tooLate() },
  },
  {
    name: "context length exceeded (400)",
    script: always(fail(400, contextLength.message)),
    expected: both(notRetried),
  },
  {
    name: "context length exceeded, said in the stream",
    script: always(beginningOfStream("without output", failing(contextLength))),
    expected: { stream: notRetried },
  },
  {
    name: "refused by the content filter (400)",
    script: always(fail(400, "The response was filtered due to the content management policy.")),
    expected: both(final),
  },
  {
    name: "finish by the content filter",
    script: always(whole(voices.primary, "content_filter")),
    expected: both(unharmedBoth),
  },
  { name: "401", script: always(fail(401, "bad key")), expected: both(notRetried) },
  { name: "403", script: always(fail(403, "no access to this model")), expected: both(notRetried) },
  { name: "404", script: always(fail(404, "no such model")), expected: both(notRetried) },
  { name: "400", script: always(fail(400, "temperature is too high")), expected: both(final) },
  {
    name: "error under 200",
    script: always(jsonUnder200(JSON.stringify({ error: overloaded }))),
    expected: both(retried),
  },
  {
    name: "error event before the first token",
    script: always(beginningOfStream("without output", failing(overloaded))),
    expected: { stream: retried },
  },
  {
    name: "error event in the middle",
    script: always(beginningOfStream("with output", failing(overloaded))),
    expected: { stream: tooLate() },
  },
  {
    name: "fails every other time",
    script: inTurn(fail(500), good),
    expected: both({
      "with a backup": flaps(
        ["backup answers", "primary answers", "backup answers", "primary answers"],
        ["backup", "primary", "backup", "primary"],
        { primaryAsked: 4 },
      ),
      alone: flaps(
        ["primary answers", "primary answers", "primary answers", "primary answers"],
        ["primary", "primary", "primary", "primary"],
        { primaryAsked: 8 },
      ),
    }),
  },
];
