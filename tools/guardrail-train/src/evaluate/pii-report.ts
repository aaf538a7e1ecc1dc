import {
  contextEntities,
  findPii,
  piiEntities,
  type PiiEntity,
  type PiiSelection,
  readCanonical,
} from "@gatehouse/guardrail/training";
import { percent, type Table } from "./table.ts";

/** Row of the set `pii_sentences`; `start` and `end` (exclusive) are offsets in `text`. */
export interface MarkedSentence {
  readonly text: string;
  readonly entities: readonly { readonly type: string; readonly start: number; readonly end: number }[];
}

const entityOf: Readonly<Record<string, PiiEntity>> = {
  EMAIL_ADDRESS: "email",
  PHONE_NUMBER: "phone_number",
  CREDIT_CARD: "credit_card",
  IBAN_CODE: "iban",
  IP_ADDRESS: "ip_address",
  US_SSN: "national_id",
};
/** Entities that the sentences mark; names and addresses are not. */
const marked = piiEntities.filter((entity) => !contextEntities.some((unmarked) => unmarked === entity));
const selection: PiiSelection = { entities: new Set(marked), countries: new Set(["us"]) };

interface Counts {
  marked: number;
  found: number;
  extra: number;
}

/** Recall and precision by entity, and of the decision to block a sentence. */
export function piiTable(sentences: readonly MarkedSentence[]): Table {
  const counts = new Map<PiiEntity, Counts>(piiEntities.map((entity) => [entity, { marked: 0, found: 0, extra: 0 }]));
  const decision = { marked: 0, found: 0, extra: 0 };
  for (const { text, entities } of sentences) {
    const found = findPii(readCanonical(text), selection);
    const marks = entities.flatMap(({ type, start, end }) => {
      const entity = entityOf[type];
      return entity === undefined ? [] : [{ entity, start, end }];
    });
    for (const mark of marks)
      add(counts, mark.entity, { marked: 1, found: found.some((span) => meets(span, mark)) ? 1 : 0, extra: 0 });
    for (const span of found)
      if (!marks.some((mark) => meets(span, mark))) add(counts, span.entity, { marked: 0, found: 0, extra: 1 });
    if (marks.length > 0) decision.marked += 1;
    if (marks.length > 0 && found.length > 0) decision.found += 1;
    if (marks.length === 0 && found.length > 0) decision.extra += 1;
  }
  const row = (name: string, { marked, found, extra }: Counts): string[] => [
    name,
    String(marked),
    percent(found, marked),
    percent(found, found + extra),
  ];
  return {
    title: "Personal data",
    header: ["", "marked", "recall", "precision"],
    rows: [
      row("decision to block", decision),
      ...[...counts].filter(([, { marked, extra }]) => marked + extra > 0).map(([entity, count]) => row(entity, count)),
    ],
  };
}

function add(counts: Map<PiiEntity, Counts>, entity: PiiEntity, more: Counts): void {
  const count = counts.get(entity);
  if (count === undefined) return;
  count.marked += more.marked;
  count.found += more.found;
  count.extra += more.extra;
}

type Marked = { readonly entity: PiiEntity; readonly start: number; readonly end: number };

function meets(left: Marked, right: Marked): boolean {
  return left.entity === right.entity && left.start < right.end && right.start < left.end;
}
