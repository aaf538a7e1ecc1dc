import { fail, type Script, silence } from "../../src/scripted-provider.ts";
import {
  after,
  beginningOfStream,
  broken,
  endedEarly,
  malformed,
  resetConnection,
  stalled,
  voices,
  whole,
  withoutMark,
} from "./fault-scripts.ts";

/** `pass`: as a careful client would; `partial`: complete, in another way; `safe`: an error; `fail`: none of these. */
export type Verdict = "pass" | "partial" | "safe" | "fail";

/** Outcomes of a scenario's calls. */
export interface Run {
  /** Text of each call; undefined for an error. */
  readonly texts: readonly (string | undefined)[];
  readonly primaryAsked: number;
  readonly backupAsked: number;
}

export interface Scenario {
  readonly id: string;
  readonly name: string;
  readonly calls: number;
  /** The primary's behaviour by request number. */
  readonly primary: (request: number) => Script;
  readonly backup: Script;
  readonly judge: (run: Run) => Verdict;
}

/** Delay of a first token that is accepted by default without another target, milliseconds. */
export const lateMs = 2_000;

const [primaryText, backupText] = [voices.primary.words.join(""), voices.backup.words.join("")];
const good = whole(voices.primary);
/** Continues a final assistant message, and otherwise sends the whole text. */
const obliging: Script = (request, res) => {
  const last = request.body.messages.at(-1) as { readonly role: string; readonly content: string };
  if (last.role !== "assistant") return whole(voices.backup)(request, res);
  const rest = primaryText.slice(last.content.length);
  return whole({ ...voices.backup, words: [rest] })(request, res);
};
const refusingPrefill: Script = (request, res) => {
  const { role } = request.body.messages.at(-1) as { readonly role: string };
  return (role === "assistant" ? fail(400, "This model does not support assistant message prefill.") : obliging)(
    request,
    res,
  );
};

const always = (script: Script) => () => script;
const once = (script: Script) => (request: number) => (request === 0 ? script : good);

function isWhole({ texts }: Run): boolean {
  return texts.every((text) => text === primaryText || text === backupText);
}

/** Complete by either target; an error is safe. */
function judgeWhole(run: Run): Verdict {
  if (isWhole(run)) return "pass";
  return run.texts.every((text) => text === undefined) ? "safe" : "fail";
}

/** Complete by the primary, after a retry. */
function judgeRetried(run: Run): Verdict {
  return isWhole(run) && run.backupAsked > 0 ? "partial" : judgeWhole(run);
}

/** Complete by the backup, without a long wait for the primary. */
function judgeLeft(run: Run): Verdict {
  return isWhole(run) && run.backupAsked === 0 ? "partial" : judgeWhole(run);
}

/** Refused, without failover. */
function judgeRefused(run: Run): Verdict {
  if (run.texts[0] === undefined) return run.backupAsked === 0 ? "pass" : "partial";
  return isWhole(run) ? "partial" : "fail";
}

const outage = { from: 4, to: 9 } as const;
const flapping = (request: number) => (request >= outage.from && request < outage.to ? fail(503) : good);

const usual = { calls: 1, backup: obliging, judge: judgeWhole };

/** The sixteen faults of a public catalogue, rebuilt from their descriptions. */
export const scenarios: readonly Scenario[] = [
  {
    ...usual,
    id: "S01",
    name: "429 with Retry-After, then well",
    primary: once(fail(429, "slow down", { "retry-after": "1" })),
    judge: judgeRetried,
  },
  { ...usual, id: "S02", name: "429 always", primary: always(fail(429)) },
  { ...usual, id: "S03", name: "500 once", primary: once(fail(500)), judge: judgeRetried },
  { ...usual, id: "S04", name: "503 always", primary: always(fail(503)) },
  { ...usual, id: "S05", name: "reset before the head", primary: always(resetConnection) },
  { ...usual, id: "S06", name: "silence", primary: always(silence) },
  { ...usual, id: "S07", name: "late first token", primary: always(after(lateMs, good)), judge: judgeLeft },
  { ...usual, id: "S08", name: "cut in the middle", primary: always(beginningOfStream("with output", broken)) },
  { ...usual, id: "S09", name: "stall in the middle", primary: always(beginningOfStream("with output", stalled)) },
  { ...usual, id: "S10", name: "malformed event", primary: always(beginningOfStream("with output", malformed)) },
  { ...usual, id: "S11", name: "no [DONE]", primary: always(withoutMark(endedEarly)) },
  {
    ...usual,
    id: "S12",
    name: "context length exceeded",
    primary: always(fail(400, "This model's maximum context length is 8192 tokens.")),
  },
  {
    ...usual,
    id: "S13",
    name: "content filter",
    primary: always(fail(400, "The response was filtered due to the content management policy.")),
    judge: judgeRefused,
  },
  {
    ...usual,
    id: "S14",
    name: "cut in the middle, and a backup that takes no prefill",
    primary: always(beginningOfStream("with output", broken)),
    backup: refusingPrefill,
  },
  { ...usual, id: "S15", name: "a primary that is away for a while", calls: 15, primary: flapping },
  { ...usual, id: "S16", name: "accounting after failover", primary: always(fail(503)) },
];
