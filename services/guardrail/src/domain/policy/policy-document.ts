import { type GatewayError, invalidArgument } from "@gatehouse/errors";
import type { ExternalDocument } from "../external/external-document.ts";
import type { PiiEntity } from "../pii/entity.ts";
import type { ScopeDocument } from "./scope.ts";

/** Values of a policy's settings, in the order in which the schema lists them. */
export const piiModes = ["off", "block", "mask", "log"] as const;
/** Fate of a text that is found to be a prompt injection. */
export const injectionModes = ["off", "block", "log"] as const;
/** Scores from which a text counts as an injection: `strict` finds more, `quiet` errs less. */
export const injectionThresholds = ["strict", "default", "quiet"] as const;
/** Surfaces that a policy may cover: chat with the wrapper and the bridge, MCP, and API Gateway endpoints. */
export const surfaces = ["chat", "mcp", "api"] as const;
/** Part of findings that is kept: nothing, what was found, or also a line around it in which everything known is masked. */
export const findingsKept = ["off", "plain", "excerpts"] as const;
/** One of {@link findingsKept}. */
export type FindingsKept = (typeof findingsKept)[number];
/** Fate of calls while the guardrails cannot be reached: refused or let pass. */
export const unavailableModes = ["closed", "open"] as const;

/** One of {@link piiModes}. */
export type PiiMode = (typeof piiModes)[number];
type InjectionMode = (typeof injectionModes)[number];
type InjectionThreshold = (typeof injectionThresholds)[number];
/** One of {@link surfaces}. */
export type Surface = (typeof surfaces)[number];
/** One of {@link unavailableModes}. */
export type UnavailableMode = (typeof unavailableModes)[number];

/** Code points where a policy names no bound: a million tokens of English, more than the default body size lets through. */
export const contentLengthDefault = 4_000_000;

/**
 * An administrator's own pattern, blocking under its name as a keyword does. All that it names has to fit; it names a pattern, a
 * path or a tool.
 */
export interface PatternDocument {
  readonly name: string;
  /** RE2 syntax, matched on the canonical text. */
  readonly pattern?: string;
  /** JSONPath: looks at these values of texts that are JSON, such as the arguments of tools. */
  readonly path?: string;
  /** Looks at arguments and results of this tool; `*` stands for any letters. */
  readonly tool?: string;
  readonly mode: PiiMode;
}

/** Modes of single entities, which win over the policy's mode. */
export type PiiActions = Readonly<Partial<Record<PiiEntity, PiiMode>>>;

/** The checks of texts. */
export interface CheckDocument {
  readonly pii: {
    readonly mode: PiiMode;
    readonly entities: readonly string[];
    /** For these entities in place of the mode. */
    readonly actions?: PiiActions;
  };
  readonly secrets: {
    readonly mode: PiiMode;
    /** Kinds that are not looked for. */
    readonly except: readonly string[];
  };
  readonly prompt_injection: { readonly mode: InjectionMode; readonly threshold: InjectionThreshold };
  readonly keywords: readonly string[];
  readonly patterns: readonly PatternDocument[];
  /** Whether answers are checked as well. */
  readonly apply_to_output: boolean;
}

/** Further checks of some calls, or of some texts of theirs. */
export interface RuleDocument extends CheckDocument {
  readonly name: string;
  readonly when: ScopeDocument;
}

/** The checks of a policy on trial; all else is as in the policy that it is tried beside. */
export interface ShadowDocument extends CheckDocument {
  readonly rules: readonly RuleDocument[];
}

/** A policy as an administrator saves it, with the defaults of every check filled in. */
export interface PolicyDocument extends CheckDocument {
  readonly rules: readonly RuleDocument[];
  /** Whether masks of input are numbered, and what they stand for comes back in the answer; undefined where it is not said. */
  readonly reversible_masks: boolean | undefined;
  /** Part of findings that is kept; undefined where it is not said, which is `plain`. */
  readonly findings: FindingsKept | undefined;
  /** A policy that is tried: it judges beside the one in force, and decides nothing. */
  readonly shadow: ShadowDocument | undefined;
  /** Guardrails elsewhere, asked over HTTP in this order. */
  readonly external: readonly ExternalDocument[];
  /** Unicode code points of all texts together; {@link contentLengthDefault} where undefined. */
  readonly max_content_length: number | undefined;
  /** Whether a caller's system and developer messages are exempt from the injection check; undefined where it is not said. */
  readonly trust_caller_instructions: boolean | undefined;
  /** Undefined where it is not said, which is `closed`. */
  readonly on_unavailable: UnavailableMode | undefined;
  /** The traffic that it covers: `chat` alone where it is not said. */
  readonly surfaces: readonly Surface[];
  /** Whether an endpoint's policy stands in place of its project's instead of adding to it. */
  readonly replace: boolean;
}

/** A policy as people read it: what it does not say has its default. */
export function showPolicy(document: PolicyDocument): PolicyDocument {
  return {
    ...document,
    trust_caller_instructions: document.trust_caller_instructions ?? false,
    on_unavailable: document.on_unavailable ?? "closed",
    reversible_masks: document.reversible_masks ?? false,
    findings: document.findings ?? "plain",
  };
}

/** Action of a policy for a kind of personal data. */
export function piiActionOf({ pii }: Pick<PolicyDocument, "pii">, entity: PiiEntity): PiiMode {
  return pii.actions?.[entity] ?? pii.mode;
}

/** The refusal for a policy field. */
export function invalidPolicy(field: string, problem: string): GatewayError {
  return invalidArgument(`Invalid guardrail policy: ${field} ${problem}`, { details: { field } });
}
