import type { Page } from "./types.ts";

/** A finding in a call, as `svc_list_findings` gives it. */
export interface PastFinding {
  readonly id: number;
  readonly at: string;
  /** A uuid; null for a call of no endpoint. */
  readonly endpoint: string | null;
  readonly request_id: string;
  readonly side: string;
  readonly detector: string;
  readonly label: string;
  readonly action: string;
  readonly score: number | null;
  /** A line around it, masked; null where the policy keeps none. */
  readonly excerpt: string | null;
}

/** Findings of one day, by what found them and what became of them. */
export interface FindingCount {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly detector: string;
  /** `blocked`, `masked` or `observed`. */
  readonly action: string;
  readonly count: number;
}

export type FindingsPage = Page & { readonly findings: readonly PastFinding[] };

/** A person's word on a verdict. */
interface Feedback {
  readonly id: number;
  readonly at: string;
  readonly actor: string;
  readonly kind: "false_alarm" | "missed";
  readonly finding_id: number | null;
  readonly detector: string | null;
  readonly text: string | null;
  readonly note: string | null;
}

export type FeedbackList = Page & { readonly feedback: readonly Feedback[] };
