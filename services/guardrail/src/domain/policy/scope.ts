import type { Side } from "./verdict.ts";

/** Ways that calls come in, finer than a policy's surfaces: `chat` is the chat routes alone. */
export const callSurfaces = ["chat", "wrapper", "bridge", "mcp", "api"] as const;
/** One of {@link callSurfaces}. */
export type CallSurface = (typeof callSurfaces)[number];

/** Roles that texts have; `parameter` is everything of a request that is no message. */
export const textRoles = ["system", "developer", "user", "assistant", "tool", "function", "parameter"] as const;
/** One of {@link textRoles}. */
export type TextRole = (typeof textRoles)[number];

/** When a rule applies: everything that is named has to fit. */
export interface ScopeDocument {
  readonly sides?: readonly Side[];
  readonly roles?: readonly TextRole[];
  readonly surfaces?: readonly CallSurface[];
  /** Ids. */
  readonly tokens?: readonly number[];
  /** Models of which the endpoint may ask one. */
  readonly models?: readonly string[];
  /** Values of headers, whole; names in lower case. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  /** The share of calls that it applies to, above 0 and up to 1. */
  readonly sample?: number;
}

/** The known facts of a call. */
export interface CallContext {
  readonly tokenId: number;
  readonly surface: string;
  readonly models: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly samplePoint: number;
  readonly requestId: string;
}

/** Whether a rule applies to a call at all. Of a call that nothing is known about, it does: checks fail on the safe side. */
export function appliesTo(scope: ScopeDocument, side: Side, context: CallContext | undefined): boolean {
  if (scope.sides?.includes(side) === false) return false;
  if (context === undefined) return true;
  const { tokens, models, surfaces, headers, sample } = scope;
  if (surfaces !== undefined && !(surfaces as readonly string[]).includes(context.surface)) return false;
  if (tokens?.includes(context.tokenId) === false) return false;
  if (models !== undefined && !context.models.some((model) => models.includes(model))) return false;
  if (sample !== undefined && context.samplePoint >= sample) return false;
  return Object.entries(headers ?? {}).every(([name, values]) => values.includes(context.headers[name] ?? ""));
}

/** Whether a rule looks at texts of a role. */
export function takesRole({ roles }: ScopeDocument, role: string): boolean {
  return roles === undefined || (roles as readonly string[]).includes(role);
}
