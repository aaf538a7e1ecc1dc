import { RE2JS, RE2JSException, RE2Set } from "re2js";
import type { InjectionModel } from "../injection/model.ts";
import { compileKeywordSteps, type KeywordSet } from "../keywords/keyword-set.ts";
import { nationalIdCountries, piiEntities, type PiiSelection } from "../pii/entity.ts";
import { mergePolicies } from "./merge-policies.ts";
import { invalidPolicy, type PatternDocument, piiActionOf, type PolicyDocument } from "./policy-document.ts";

/** A policy made ready: automata built, patterns compiled, model attached. Immutable; safe to share and cache. */
export interface CompiledPolicy {
  readonly document: PolicyDocument;
  readonly keywords: KeywordSet;
  readonly pii: PiiSelection;
  readonly patterns: CompiledPatterns | undefined;
  readonly model: InjectionModel;
}

/** All of an administrator's patterns in one linear-time automaton, and each alone to say where it matched. */
export interface CompiledPatterns {
  readonly documents: readonly PatternDocument[];
  readonly set: RE2Set;
  readonly single: readonly RE2JS[];
}

/** What is in force at an endpoint whose policy adds to its project's; see `mergePolicies`. */
export function* combinePolicySteps(
  project: CompiledPolicy,
  endpoint: CompiledPolicy,
): Generator<void, CompiledPolicy> {
  return yield* compileDocumentSteps(mergePolicies(project.document, endpoint.document), endpoint.model);
}

/** Compiles a document that was checked when it was parsed; two that were put together may be longer than one may be. */
export function* compileDocumentSteps(
  document: PolicyDocument,
  model: InjectionModel,
): Generator<void, CompiledPolicy> {
  return {
    document,
    keywords: yield* compileKeywordSteps(document.keywords),
    pii: toSelection(document),
    patterns: compilePatterns(document.patterns.filter(({ mode }) => mode !== "off")),
    model,
  };
}

/** What is looked for: what is named, but for what nothing is done about. */
function toSelection(document: PolicyDocument): PiiSelection {
  const names = document.pii.entities;
  const countries = nationalIdCountries.filter((country) => names.includes(`national_id.${country}`));
  const entities = piiEntities.filter(
    (entity) =>
      piiActionOf(document, entity) !== "off" &&
      (names.includes(entity) || (entity === "national_id" && countries.length > 0)),
  );
  const isAsked = entities.includes("national_id");
  return { entities: new Set(entities), countries: new Set(isAsked ? countries : []) };
}

function compilePatterns(documents: readonly PatternDocument[]): CompiledPatterns | undefined {
  if (documents.length === 0) return undefined;
  const set = new RE2Set(RE2Set.UNANCHORED, 0);
  const single = documents.map((document, index) => {
    try {
      const compiled = RE2JS.compile(document.pattern);
      if (compiled.matches(""))
        throw invalidPolicy(`patterns[${index}].pattern`, "matches empty text, so it would block everything.");
      set.add(document.pattern);
      return compiled;
    } catch (err) {
      if (!(err instanceof RE2JSException)) throw err;
      throw invalidPolicy(`patterns[${index}].pattern`, describeSyntaxError(document.pattern, err));
    }
  });
  set.compile();
  return { documents, set, single };
}

/** Says what RE2 refuses and where: the offending piece is part of its message, the position is found from it. */
function describeSyntaxError(pattern: string, err: RE2JSException): string {
  const message = err.message.replace(/^error parsing regexp: /u, "");
  const piece = /`(.+)`/u.exec(message)?.[1];
  const position = piece === undefined ? -1 : pattern.indexOf(piece);
  return `is not valid RE2 syntax: ${message}${position < 0 ? "" : ` at position ${position}`}.`;
}
