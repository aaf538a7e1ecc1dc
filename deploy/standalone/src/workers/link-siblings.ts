import type { Siblings } from "@gatehouse/http";
import { LinkError, type ProcessLink } from "./process-link.ts";

/** Longest wait for the answers of all workers; each has a shorter bound in the primary. */
const siblingsTimeoutMs = 1_000;

/** A worker's way to the others, through the primary. */
export function createLinkSiblings(link: ProcessLink): Siblings {
  const answers = new Map<string, (question: unknown) => unknown>();
  link.answer("siblingAsks", async ({ subject, question }) => {
    const answering = answers.get(subject);
    if (answering === undefined) throw new LinkError(`'${subject}' is not answered here.`);
    return await Promise.resolve({ value: { value: answering(question) } });
  });
  return {
    answer: (subject, answering) => void answers.set(subject, answering),
    async ask(subject, question) {
      const asked = await link.ask("askSiblings", { subject, question }, siblingsTimeoutMs).catch(() => undefined);
      return asked?.value ?? [];
    },
  };
}
