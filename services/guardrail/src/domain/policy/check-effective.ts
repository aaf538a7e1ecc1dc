import { placeholderName } from "@gatehouse/placeholders";
import type { PolicyOwner } from "../policy-owner.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import { type CheckDocument, invalidPolicy, type PolicyDocument, surfaces } from "./policy-document.ts";
import { problemOfReach, surfaceOf } from "./rule-reach.ts";

/** A name that masks and messages can show. */
const showable = /^[^[\]\p{Cc}\p{Zl}\p{Zp}]+$/u;
const nameable = new RegExp(`^${placeholderName.source}$`, "u");

/** Owner of a policy that is to be saved. */
interface Place {
  readonly owner: PolicyOwner;
  /** Empty where it is not known. */
  readonly projectType: string;
}

/**
 * Refuses a policy with a check that could never find anything, since it would be silently off. An endpoint's policy may cover too
 * little alone: its project's adds to it, and may follow. @throws `invalid_argument`.
 */
export function checkEffective(policy: CompiledPolicy, { owner, projectType }: Place): void {
  const { document } = policy;
  checkFindable(policy);
  const isOfProject = owner.endpointUuid === undefined;
  if (isOfProject && hasChecks(document)) checkSurfaces(document, projectType);
  const calls = { surfaces: isOfProject ? document.surfaces : surfaces, projectType: "" };
  for (const { rules, place } of [
    { rules: document.rules, place: "" },
    { rules: document.shadow?.rules ?? [], place: "shadow." },
  ]) {
    for (const [index, rule] of rules.entries()) {
      const problem = problemOfReach(rule, calls);
      if (problem !== undefined) throw invalidPolicy(`${place}rules[${index}].when`, problem);
      if (!hasOwnChecks(rule))
        throw invalidPolicy(`${place}rules[${index}]`, "has no check, so it finds nothing; name one, or leave it out.");
    }
  }
}

/** Refuses checks that find nothing whatever the texts are, of the policy, its rules and the policy on trial. */
export function checkFindable({ document, keywords, rules, shadow }: CompiledPolicy, place = ""): void {
  const [first] = keywords.unfindable;
  if (first !== undefined) {
    throw invalidPolicy(
      `${place}keywords[${first}]`,
      "has nothing to look for: it is empty, or has only blanks, hyphens, dividing dots or invisible characters.",
    );
  }
  checkEntities(document, place);
  checkNames(document, place);
  for (const [index, { policy }] of rules.entries()) checkFindable(policy, `${place}rules[${index}].`);
  if (shadow !== undefined) checkFindable(shadow, `${place}shadow.`);
}

function checkEntities({ pii }: CheckDocument, place: string): void {
  if (pii.mode !== "off" && pii.entities.length === 0)
    throw invalidPolicy(`${place}pii.entities`, "is empty, so nothing is looked for; leave it out for the usual ones.");
}

/** A label stands in brackets in masked texts, and in messages of one line; a numbered one must be a placeholder's name. */
function checkNames({ patterns, reversible_masks: isReversible }: PolicyDocument, place: string): void {
  for (const [index, { name, pattern, path, tool, mode }] of patterns.entries()) {
    const isGiven = name !== (pattern ?? path ?? tool);
    if (isGiven && !showable.test(name))
      throw invalidPolicy(
        `${place}patterns[${index}].name`,
        "must not be empty, nor have brackets ([ ]) or line breaks.",
      );
    if (mode === "mask" && isReversible === true && !nameable.test(name)) {
      const problem = "must have 1 to 50 characters and no brackets ([ ]), since reversible_masks number it.";
      throw invalidPolicy(`${place}patterns[${index}].name`, problem);
    }
  }
}

function checkSurfaces({ surfaces: covered }: PolicyDocument, projectType: string): void {
  const needed = surfaceOf(projectType);
  if (needed === undefined || covered.includes(needed)) return;
  throw invalidPolicy(
    "surfaces",
    `must name ${needed}: projects of type ${projectType} have no other traffic, so the policy would check nothing.`,
  );
}

/** Reasons why parts of the policy in force check nothing, which later changes may make effective. */
export function ineffectiveParts(document: PolicyDocument, projectType: string): readonly string[] {
  const needed = surfaceOf(projectType);
  if (needed === undefined || !hasChecks(document)) return [];
  if (!document.surfaces.includes(needed))
    return [`It checks nothing here, since its surfaces do not name ${needed}; add it.`];
  const calls = { surfaces: document.surfaces, projectType };
  return document.rules.flatMap((rule, index) => {
    const problem = problemOfReach(rule, calls);
    return problem === undefined ? [] : [`rules[${index}].when ${problem}`];
  });
}

function hasChecks(document: PolicyDocument): boolean {
  const { shadow, rules, external } = document;
  return shadow !== undefined || rules.length > 0 || external.length > 0 || hasOwnChecks(document);
}

function hasOwnChecks({ pii, secrets, prompt_injection: injection, keywords, patterns }: CheckDocument): boolean {
  return (
    keywords.length > 0 ||
    patterns.length > 0 ||
    [pii.mode, secrets.mode, injection.mode, ...Object.values(pii.actions ?? {})].some((mode) => mode !== "off")
  );
}
