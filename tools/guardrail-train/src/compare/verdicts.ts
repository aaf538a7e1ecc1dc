import { contextEntities, nationalIdCountries, piiEntities } from "@gatehouse/guardrail/training";
import { manyKeywords, megabyte } from "../evaluate/speed-report.ts";
import type { Build } from "./main.ts";

/** A text that two builds judge differently, with both verdicts. */
interface Difference {
  readonly text: string;
  readonly role: string;
  readonly ours: string;
  readonly theirs: string;
}

const keywords = [
  ...manyKeywords().slice(8),
  "система",
  "ignore",
  "project falcon",
  "@falcon",
  "機密",
  "기밀",
  "straße",
  "previous instructions",
];
const patterns = [{ name: "ticket", pattern: "(?i)ticket-[0-9]{3,}", mode: "mask" }];
const pii = { mode: "mask", entities: piiEntities.filter((entity) => !isContext(entity)) };
/** All checks, to compare every finding; and the usual selection, which uses faster paths. */
const policies = [
  {
    pii: { ...pii, entities: [...piiEntities, ...nationalIdCountries.map((country) => `national_id.${country}`)] },
    secrets: { mode: "mask" },
    prompt_injection: { mode: "log" },
    keywords,
    patterns,
    max_content_length: megabyte * 10,
  },
  { pii, prompt_injection: { mode: "block" }, keywords: manyKeywords() },
  { pii: { mode: "block" } },
  { secrets: { mode: "mask" } },
];
const roles = ["user", "tool"];

function isContext(entity: string): boolean {
  return contextEntities.some((context) => context === entity);
}

/** Judges every text with both builds under each policy, in each role: findings with their places, scores and masked texts. */
export function differences(
  builds: { readonly here: Build; readonly other: Build },
  texts: readonly string[],
): Difference[] {
  const found: Difference[] = [];
  for (const document of policies) {
    const mine = judgeOf(builds.here, document);
    const their = judgeOf(builds.other, document);
    for (const text of texts)
      for (const role of "prompt_injection" in document ? roles : roles.slice(0, 1)) {
        const [ours, theirs] = [mine(text, role), their(text, role)];
        if (ours !== theirs) found.push({ text, role, ours, theirs });
      }
  }
  return found;
}

function judgeOf({ compilePolicy, inspect }: Build, document: unknown): (text: string, role: string) => string {
  const policy = compilePolicy(document);
  return (text, role) => JSON.stringify(inspect(policy, { side: "input", texts: [{ role, text }], exhaustive: true }));
}
