import { type GatewayError, isGatewayError } from "@gatehouse/errors";
import { RE2JS, RE2JSException, RE2Set } from "re2js";
import type { InjectionModel } from "../injection/model.ts";
import { compileKeywordSteps, type KeywordSet } from "../keywords/keyword-set.ts";
import { nationalIdCountries, piiEntities, type PiiSelection } from "../pii/entity.ts";
import { type JsonPath, parseJsonPath } from "./json-path.ts";
import { mergePolicies } from "./merge-policies.ts";
import { invalidPolicy, type PatternDocument, piiActionOf, type PolicyDocument } from "./policy-document.ts";
import type { ScopeDocument } from "./scope.ts";

/** A policy made ready: automata built, patterns compiled, model attached. Immutable; safe to share and cache. */
export interface CompiledPolicy {
  readonly document: PolicyDocument;
  readonly keywords: KeywordSet;
  readonly pii: PiiSelection;
  readonly patterns: CompiledPatterns | undefined;
  readonly rules: readonly CompiledRule[];
  /** Whether a pattern names a path, in the policy or in a rule of it. */
  readonly hasPaths: boolean;
  /** The policy on trial, where there is one. */
  readonly shadow: CompiledPolicy | undefined;
  readonly model: InjectionModel;
}

/** Further checks, and the calls and texts that they are for. */
interface CompiledRule extends ActiveChecks {
  readonly when: ScopeDocument;
  readonly ruleIndex: number;
}

/** The checks of a policy, or of one of its rules, that are run on a request. */
export interface ActiveChecks {
  readonly policy: CompiledPolicy;
  /** Undefined: texts of every role. */
  readonly when: ScopeDocument | undefined;
  /** Index among the policy's rules; undefined: the policy without its rules. */
  readonly ruleIndex: number | undefined;
}

/** One of an administrator's patterns. */
export interface CompiledPattern {
  readonly document: PatternDocument;
  readonly single: RE2JS | undefined;
  readonly path: JsonPath | undefined;
  /** Whether the texts of a tool are looked at; of a text of no tool, the name is empty. */
  readonly takesTool: (name: string) => boolean;
}

/** An administrator's patterns: those for whole texts in one linear-time automaton, and each alone to say where it matched. */
interface CompiledPatterns {
  readonly set: RE2Set | undefined;
  /** In the order of the set. */
  readonly ofTexts: readonly CompiledPattern[];
  /** Such as name a path, or a tool alone. */
  readonly others: readonly CompiledPattern[];
  /** Patterns among the others that name a path. */
  readonly withPath: readonly CompiledPattern[];
}

/** Policy in force at an endpoint whose policy adds to its project's; see `mergePolicies`. */
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
  const keywords = yield* compileKeywordSteps(document.keywords);
  const patterns = compilePatterns(document.patterns);
  const rules = yield* compileRuleSteps(document, model);
  return {
    document,
    keywords,
    pii: toSelection(document),
    patterns,
    rules,
    hasPaths: (patterns?.withPath.length ?? 0) > 0 || rules.some(({ policy }) => policy.hasPaths),
    shadow:
      document.shadow &&
      (yield* compileDocumentSteps({ ...document, ...document.shadow, external: [], shadow: undefined }, model)),
    model,
  };
}

/** Each rule as a policy with the rule's checks; settings of the whole policy hold for it too. */
function* compileRuleSteps(document: PolicyDocument, model: InjectionModel): Generator<void, readonly CompiledRule[]> {
  const rules: CompiledRule[] = [];
  for (const [index, { name: _name, when, ...checks }] of document.rules.entries()) {
    const alone = { ...document, ...checks, rules: [], external: [], shadow: undefined };
    try {
      rules.push({ policy: yield* compileDocumentSteps(alone, model), when, ruleIndex: index });
    } catch (err) {
      throw isGatewayError(err) ? inRule(err, index) : err;
    }
  }
  return rules;
}

function inRule({ message }: GatewayError, index: number): GatewayError {
  return invalidPolicy(`rules[${index}]`, `is refused: ${message}`);
}

/** Entities to look for: those that are named and have an action. */
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
  const compiled = documents.map(compilePattern).filter(({ document }) => document.mode !== "off");
  if (compiled.length === 0) return undefined;
  const isOfTexts = ({ single, path }: CompiledPattern): boolean => single !== undefined && path === undefined;
  const ofTexts = compiled.filter(isOfTexts);
  const others = compiled.filter((pattern) => !isOfTexts(pattern));
  const withPath = others.filter(({ path }) => path !== undefined);
  if (ofTexts.length === 0) return { set: undefined, ofTexts, others, withPath };
  const set = new RE2Set(RE2Set.UNANCHORED, 0);
  for (const { document } of ofTexts) set.add(document.pattern ?? "");
  set.compile();
  return { set, ofTexts, others, withPath };
}

function compilePattern(document: PatternDocument, index: number): CompiledPattern {
  const { pattern, path: pathText, tool, mode } = document;
  if (mode === "mask" && (pattern === undefined || pathText !== undefined)) {
    throw invalidPolicy(`patterns[${index}].mode`, "can be mask only with a pattern and without a path.");
  }
  const path = pathText === undefined ? undefined : parseJsonPath(pathText);
  const single = pattern === undefined ? undefined : compileExpression(pattern, `patterns[${index}].pattern`);
  return { document, single, path, takesTool: compileToolName(tool) };
}

function compileExpression(pattern: string, field: string): RE2JS {
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.matches("")) throw invalidPolicy(field, "matches empty text, so it would block everything.");
    return compiled;
  } catch (err) {
    if (!(err instanceof RE2JSException)) throw err;
    throw invalidPolicy(field, describeSyntaxError(pattern, err));
  }
}

function compileToolName(tool: string | undefined): (name: string) => boolean {
  if (tool === undefined) return () => true;
  const parts = tool.split("*").map((part) => part.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`));
  const expression = RE2JS.compile(parts.join(".*"));
  return (name) => name !== "" && expression.matches(name);
}

/** Says what RE2 refuses and where: the offending piece is part of its message, the position is found from it. */
function describeSyntaxError(pattern: string, err: RE2JSException): string {
  const message = err.message.replace(/^error parsing regexp: /u, "");
  const piece = /`(.+)`/u.exec(message)?.[1];
  const position = piece === undefined ? -1 : pattern.indexOf(piece);
  return `is not valid RE2 syntax: ${message}${position < 0 ? "" : ` at position ${position}`}.`;
}
